//! One file is the whole deployment.

use std::fs;

use crate::harness::{Folder, run, sample, text};

#[test]
fn the_binary_alone_runs_in_an_empty_environment() {
    let folder = Folder::new();
    let binary = folder.path("sextant");
    fs::copy(env!("CARGO_BIN_EXE_sextant"), &binary).expect("the binary can be copied");
    let bare = |arguments: &[&str]| {
        let mut command = std::process::Command::new(&binary);
        run(command.args(arguments).env_clear().current_dir(folder.path("."))).succeeds()
    };
    bare(&["index", &text(&sample()), "--out", "sample.sqlite"]);
    assert!(
        bare(&["search", "how an employee feels", "--index", "sample.sqlite"])
            .contains("field:Employee.currentMood")
    );
    assert!(bare(&["get", "enum:Mood", "--index", "sample.sqlite"]).starts_with("enum:Mood"));
}

/// ONNX Runtime's official builds keep a device id and a queue of events for
/// their maker in the user's cache folder, and send them while they run.
#[test]
fn nothing_is_left_in_the_home_folder_that_was_not_asked_for() {
    let folder = Folder::new();
    folder.run(&["index", &text(&sample()), "--out", "sample.sqlite"]).succeeds();
    folder.run(&["search", "mood", "--index", "sample.sqlite"]).succeeds();
    assert_eq!(folder.list("home"), [""; 0]);
    assert_eq!(folder.list("."), ["home", "sample.sqlite"]);
}

/// A root folder with the binary, glibc and the C++ library that ONNX Runtime
/// needs; no network, no HOME, no /tmp. Only /proc is there, through which the
/// library is loaded from memory.
#[cfg(target_os = "linux")]
#[test]
fn the_binary_runs_in_a_bare_root_without_a_network() {
    const LIBRARIES: [&str; 8] = [
        "libc.so.6",
        "libm.so.6",
        "libdl.so.2",
        "librt.so.1",
        "libpthread.so.0",
        "libgcc_s.so.1",
        "libstdc++.so.6",
        "ld-linux",
    ];
    let folder = Folder::new();
    let script = "
        cd \"$1\"; mkdir -p root/proc; mount -t proc none root/proc
        run() { env -i $(command -v chroot) root /sextant \"$@\"; }
        run index /employees.graphql --out /employees.sqlite
        run search 'how an employee feels' --index /employees.sqlite";
    let Some(mut shell) = crate::harness::isolated_shell(script) else { return };
    let copy = |from: &str, to: &str| {
        let to = folder.path("root").join(to.trim_start_matches('/'));
        fs::create_dir_all(to.parent().expect("a file lies in a folder"))
            .expect("the folder can be made");
        fs::copy(from, &to).unwrap_or_else(|error| panic!("{from} cannot be copied: {error}"));
    };
    copy(env!("CARGO_BIN_EXE_sextant"), "/sextant");
    copy(&text(&sample()), "/employees.graphql");
    // Where this process found them, the bare root's loader will look as well.
    for library in libraries_of_this_machine(&LIBRARIES) {
        copy(&library, &library);
    }
    let page = run(shell.arg(folder.path("."))).succeeds();
    assert!(page.contains("field:Employee.currentMood"), "{page}");
}

/// The paths of shared libraries, as the loader's cache names them.
#[cfg(target_os = "linux")]
fn libraries_of_this_machine(names: &[&str]) -> Vec<String> {
    let listed = std::process::Command::new("ldconfig")
        .arg("-p")
        .output()
        .or_else(|_| std::process::Command::new("/sbin/ldconfig").arg("-p").output());
    let listed = listed.expect("glibc comes with ldconfig").stdout;
    let listed = String::from_utf8(listed).expect("ldconfig prints UTF-8");
    let is_native = |line: &&str| {
        line.contains("x86-64") || line.contains("AArch64") || line.contains("ld-linux-")
    };
    let wanted = |line: &&str| names.iter().any(|name| line.trim_start().starts_with(name));
    listed
        .lines()
        .filter(is_native)
        .filter(wanted)
        .filter_map(|line| line.split("=> ").nth(1))
        .flat_map(|path| [path.to_owned(), loader_s_own_place(path)])
        .collect()
}

/// A binary names its loader by the one path that its platform fixes.
#[cfg(target_os = "linux")]
fn loader_s_own_place(path: &str) -> String {
    match path.rsplit('/').next() {
        Some(name @ "ld-linux-x86-64.so.2") => format!("/lib64/{name}"),
        Some(name @ "ld-linux-aarch64.so.1") => format!("/lib/{name}"),
        _ => path.to_owned(),
    }
}
