"""Which build of the kernels is chosen: by what the system says of the processor."""

import subprocess
import sys

import pytest

from optsearch.compiled import processor

HASWELL = (  # a processor of 2013, the first with all of x86-64-v3, as Linux 6.1 lists it
    "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse "
    "sse2 ht syscall nx pdpe1gb rdtscp lm constant_tsc rep_good nopl xtopology cpuid pni pclmulqdq "
    "ssse3 fma cx16 pcid sse4_1 sse4_2 x2apic movbe popcnt aes xsave avx f16c rdrand hypervisor "
    "lahf_lm abm pti fsgsbase bmi1 avx2 smep bmi2 erms invpcid xsaveopt"
)
X86 = "processor\t: 0\nmodel name\t: some\nflags\t\t: {}\nbugs\t\t: avx2\n\nprocessor\t: 1\n"
ARM = "processor\t: 0\nFeatures\t: fp asimd evtstrm aes crc32 atomics\n"


@pytest.fixture
def on_linux(tmp_path, monkeypatch):
    """The builds that would run beside the plain one, by the text of /proc/cpuinfo."""

    def builds(text):
        path = tmp_path / "cpuinfo"
        path.write_text(text)
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(processor.linux_flags, "__defaults__", (path,))
        return processor.instruction_sets()

    return builds


def test_every_flag_is_needed(on_linux):
    assert on_linux(X86.format(HASWELL)) == ["x86_64_v3"]
    for flag in processor.V3:  # as where the system does not keep registers of 256 bits
        assert on_linux(X86.format(HASWELL.replace(f" {flag} ", " "))) == []


def test_what_is_not_known_takes_the_plain_build(on_linux, tmp_path, monkeypatch):
    assert on_linux(ARM) == on_linux("") == []
    assert processor.linux_flags(tmp_path / "hidden") == frozenset()
    monkeypatch.setattr(sys, "platform", "win32")
    assert processor.instruction_sets() == []


@pytest.mark.parametrize(("has", "builds"), [(1, ["x86_64_v3"]), (0, [])])
def test_macos_is_asked(monkeypatch, has, builds):
    asked = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(processor.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(processor, "_is_on_macos", lambda name: asked.append(name) or has)
    assert processor.instruction_sets() == builds
    assert asked == list(processor.V3_ON_MACOS)[: None if has else 1]
    monkeypatch.setattr(processor.platform, "machine", lambda: "arm64")
    assert processor.instruction_sets() == []


def test_a_build_can_be_asked_for():
    code = "import optsearch; print(optsearch.build)"
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"OPTSEARCH_BUILD": "plain", "PYTHONPATH": ":".join(sys.path)},
    )
    assert found.stdout == "plain\n"
