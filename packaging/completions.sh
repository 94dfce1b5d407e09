#!/bin/sh
# completions.sh PROGRAM SHARE ZSH writes the completions for bash, zsh and fish below the folder SHARE. ZSH is the
# folder of zsh/: site-functions, or vendor-completions of Debian.
set -eu
bash=$2/bash-completion/completions zsh=$2/zsh/$3 fish=$2/fish/vendor_completions.d
mkdir -p "$bash" "$zsh" "$fish"
"$1" completion bash > "$bash/orchestrator"
"$1" completion zsh > "$zsh/_orchestrator"
"$1" completion fish > "$fish/orchestrator.fish"
