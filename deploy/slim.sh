#!/usr/bin/env bash
# Takes out of an environment what serving never imports. The image's build runs it, and try_image.sh proves that the
# service still starts, reads and stores after it. The bill of materials is made after it, so that it lists what is left.
#   deploy/slim.sh /opt/refund-router
set -euo pipefail
environment=$1
# tokenizers wants the hub only to download, onnxruntime wants protobuf and flatbuffers only for its offline tools
"$environment/bin/python" -m pip uninstall -q -y huggingface_hub hf_xet fsspec filelock tqdm protobuf flatbuffers pip
site=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
rm -rf "$site"/onnxruntime/{transformers,quantization,tools,datasets} # offline tools
rm -f "$site"/onnxruntime/capi/libonnxruntime.so.*                    # for C programs; Python's module has its own
rm -rf "$site"/phonenumbers/{geodata,carrierdata,tzdata}              # where a number is from; only finding is needed
rm -rf "$site"/sqlalchemy/testing
rm -rf "$site"/training "$environment/bin/refund-trainer"             # needs torch, which is not here
rm -rf "$site"/setuptools "$site"/setuptools-*.dist-info "$site"/pkg_resources "$site"/_distutils_hack "$site"/distutils-precedence.pth
find "$site" -depth -type d \( -name tests -o -name __pycache__ \) -exec rm -rf {} +
find "$site" -type f \( -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.c' -o -name '*.h' -o -name '*.a' \) -delete
