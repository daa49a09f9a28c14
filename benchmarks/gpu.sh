#!/usr/bin/env bash
# Shows on a GPU what there is to show: benchmarks/gpu.sh [STAGE...], all stages if none is named.
#   build       compiles the package for the GPU that is there
#   test        all tests on the GPU and the kernels' self checks, and the receipt of them
#   memcheck, racecheck, initcheck, synccheck
#               a tool of compute-sanitizer over its groups
#   accuracy    errors in ulp
#   bfloat16, float32, float16
#               every op beside all contenders, in that type
#   held_out    formulas drawn with a seed, beside eager and max-autotune
#   small       1e3 to 1e6 elements
#   layouts     some ops with inputs in other memory layouts, bfloat16
#   calls       LLTM step, host time of a call
#   limits      instructions and bytes of every pass, by Nsight Compute; OPS="swiglu rope" names some ops
# A stage takes some minutes. Results go to benchmarks/results, or to the folder $RESULTS, under the
# GPU's name. $PYTHON names the interpreter. Nothing is fetched.
set -euo pipefail
cd "$(dirname "$0")/.."
stages=(build test memcheck racecheck initcheck synccheck accuracy bfloat16 float32 held_out
  small layouts calls limits)
[ $# -gt 0 ] || set -- "${stages[@]}"
export PYTHON=${PYTHON:-python3}
export PYTHONPATH=generator:generated${PYTHONPATH:+:$PYTHONPATH}
export PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
RESULTS=${RESULTS:-benchmarks/results}
read -r gpu arch < <("$PYTHON" -c '
import torch
print(torch.cuda.get_device_name().split()[-1].lower(), "%d%d" % torch.cuda.get_device_capability())')
mkdir -p "$RESULTS" build

metrics=gpu__time_duration.sum,smsp__inst_executed.sum,smsp__cycles_elapsed.sum,dram__bytes.sum

checks_are_built=

# Once, for all the stages that run them.
build_checks() {
  [ -z "$checks_are_built" ] || return 0
  local source
  for source in tests/runtime/*_cuda_check.cu; do
    nvcc -std=c++20 "-arch=sm_$arch" -lineinfo -Iruntime "$source" \
      runtime/fusewise/core/*.cpp runtime/fusewise/cuda/*.cu -o "build/$(basename "$source" .cu)"
  done
  checks_are_built=yes
}

sanitize() {
  build_checks
  local tool=(compute-sanitizer --tool "$1" --error-exitcode 1)
  {
    "${tool[@]}" build/layout_cuda_check layouts transposed pairs
    "${tool[@]}" build/mixed_cuda_check
    "${tool[@]}" build/bits_cuda_check bits hoisted rounding
    "${tool[@]}" build/sum_cuda_check reductions broadcast_reductions two_axis specialized
    "${tool[@]}" build/row_cuda_check layouts special clusters
    "${tool[@]}" build/loss_cuda_check
    "${tool[@]}" build/totals_cuda_check layouts special
    "${tool[@]}" build/norm_cuda_check
    "${tool[@]}" build/cluster_cuda_check
  } 2>&1 | tee "$RESULTS/$1-$gpu.txt" | tail -n 20
}

bench() {
  local name="$RESULTS/bench-$1-$gpu"
  "$PYTHON" -m fusewise bench --device cuda --json "$name.json" --plot "$name.png" "${@:2}" |
    tee "$name.txt"
}

for stage; do
  echo "== $stage"
  case $stage in
    build) "$PYTHON" -m fusewise build ;;
    test) "$PYTHON" benchmarks/gpu_suite.py ;;
    memcheck | racecheck | initcheck | synccheck) sanitize "$stage" ;;
    accuracy) "$PYTHON" -m fusewise accuracy --device cuda --output "$RESULTS/accuracy-$gpu.md" ;;
    bfloat16 | float32 | float16) bench "$stage" --dtype "$stage" ;;
    held_out)
      "$PYTHON" benchmarks/held_out.py --device cuda --json "$RESULTS/held-out-$gpu.json" |
        tee "$RESULTS/held-out-$gpu.txt"
      ;;
    small) bench small elementwise_mult swiglu --elements 1000 --elements 10000 \
      --elements 100000 --elements 1000000 ;;
    layouts)
      for layout in channels_last transposed mixed sliced; do
        bench "$layout" --layout "$layout" --against compile \
          elementwise_mult swiglu bias_gelu mish_activation fused_bias_leakyrelu weighted_swiglu modulate
      done
      ;;
    calls)
      "$PYTHON" benchmarks/lltm.py --device cuda --output "$RESULTS/lltm-$gpu.json"
      "$PYTHON" benchmarks/call_overhead.py --device cuda --output "$RESULTS/call-overhead-$gpu.json"
      ;;
    limits)
      # shellcheck disable=SC2086
      ncu --profile-from-start off --clock-control none --csv --page raw --print-units base \
        --metrics "$metrics" \
        "$PYTHON" benchmarks/limits.py run ${OPS:-} > build/limits.txt
      "$PYTHON" benchmarks/limits.py table build/limits.txt | tee "$RESULTS/limits-$gpu.md"
      ;;
    *)
      echo "no stage '$stage'; there are: ${stages[*]} float16" >&2
      exit 2
      ;;
  esac
done
