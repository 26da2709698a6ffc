"""All SQL, a module for each subject. Keyword-only functions, session first; nobody commits here."""
