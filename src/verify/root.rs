//! A root and a network of a client's own: what is the user's is covered by copies, nothing else can be written to, and no
//! other machine is there.
#![expect(clippy::disallowed_methods, reason = "the room lays out a tree of its own")]

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_remount, unmount};
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, sendto, socket};
use rustix::process::{chdir, pivot_root};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

use super::plan::PROGRAMS;

/// Paths elsewhere that a system may need to find its programs.
const NEEDED: [&str; 2] = ["run/current-system", "run/wrappers"];
/// Devices that every program may expect.
const DEVICES: [&str; 5] = ["full", "null", "random", "urandom", "zero"];
/// Links in the directory of devices, with their targets.
const STREAMS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];
/// Files and directories of `/proc` that are the machine's own. They can only be read.
const OF_THE_MACHINE: [&str; 5] = ["bus", "fs", "irq", "sys", "sysrq-trigger"];
/// How many user namespaces may be made in this one. The kernel has a number for each namespace.
const NAMESPACES: &str = "proc/sys/user/max_user_namespaces";

/// Goes into a root of its own, inside namespaces that somebody made. `covers` are directories that the trees below `tree` take
/// the place of; `kept` are programs outside of the system's directories, which stay. Afterwards nothing can be mounted any
/// more, by this process or by those that it starts.
pub fn enter(scratch: &Path, tree: &Path, covers: &[PathBuf], kept: &[PathBuf]) -> io::Result<()> {
    network_of_its_own()?;
    let root = scratch.join("root");
    fs::create_dir(&root)?;
    mount("briefing", &root, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, None)?;
    let covered = |name: &OsStr| covers.iter().any(|cover| *cover == Path::new("/").join(name));
    for entry in fs::read_dir("/")?.flatten() {
        let name = entry.file_name();
        let (place, kind) = (root.join(&name), entry.file_type()?);
        if covered(&name) {
            continue;
        }
        if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, &place)?;
        } else if kind.is_dir() {
            fs::create_dir(&place)?;
            // A container may forbid processes of one's own; then those of the machine are to be seen, and not to be reached.
            let fresh = name == "proc" && mount("proc", &place, "proc", MountFlags::NOSUID, None).is_ok();
            if !fresh && (name == "proc" || PROGRAMS.iter().any(|system| name == *system)) {
                mount_bind_recursive(entry.path(), &place)?;
            }
        }
    }
    NEEDED.iter().map(|needed| Path::new("/").join(needed)).try_for_each(|needed| bind(&needed, &root))?;
    devices(&root)?;
    fs::create_dir_all(root.join("tmp"))?;
    hide_what_is_private(&root)?;
    let machine = OF_THE_MACHINE.map(|name| root.join("proc").join(name));
    // Where the kernel has no such number, or does not let it be set, whoever makes a namespace gains nothing outside of it.
    let _ = fs::write(root.join(NAMESPACES), "0");
    for place in machine.iter().filter(|place| place.exists()) {
        mount_bind_recursive(place, place)?;
    }
    make_read_only(&root, &machine)?;
    for cover in covers {
        cover_with(&inside(tree, cover), &inside(&root, cover))?;
    }
    kept.iter().try_for_each(|kept| bind(kept, &root))?;
    // What was kept lies over the copies.
    make_read_only_at(&kept.iter().map(|kept| inside(&root, kept)).collect::<Vec<_>>())?;
    // The scratch directory stays where it was: what is written there is read afterwards.
    let ours = inside(&root, scratch);
    fs::create_dir_all(&ours)?;
    mount_bind(scratch, &ours)?;
    let old = root.join("tmp/.old");
    fs::DirBuilder::new().mode(0o700).create(&old)?;
    pivot_root(&root, &old)?;
    chdir("/")?;
    unmount("/tmp/.old", UnmountFlags::DETACH)?;
    fs::remove_dir("/tmp/.old")?;
    Ok(give_up_privileges()?)
}

/// Gives up all capabilities, for good: a program of the system that has some does not bring them back.
fn give_up_privileges() -> rustix::io::Result<()> {
    set_no_new_privs(true)?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// Makes a directory of devices with what every program may expect, and shared memory of its own. There is no terminal.
fn devices(root: &Path) -> io::Result<()> {
    DEVICES.iter().try_for_each(|name| bind(&Path::new("/dev").join(name), root))?;
    let dev = root.join("dev");
    fs::create_dir_all(dev.join("shm"))?;
    STREAMS.iter().try_for_each(|(name, target)| symlink(target, dev.join(name)))
}

/// Puts empty files and directories in the place of those in `/etc` that not everybody may read: with your privileges a client
/// could.
fn hide_what_is_private(root: &Path) -> io::Result<()> {
    let (file, dir) = (root.join(".file"), root.join(".dir"));
    fs::File::create(&file)?;
    fs::create_dir(&dir)?;
    let mut dirs = vec![(root.join("etc"), 0)];
    while let Some((place, depth)) = dirs.pop() {
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let is_private = meta.permissions().mode() & 0o004 == 0;
            match (meta.is_dir(), is_private) {
                (true, true) => mount_bind(&dir, entry.path())?,
                (true, false) if depth < PRIVATE_DEPTH => dirs.push((entry.path(), depth + 1)),
                (false, true) if meta.is_file() => mount_bind(&file, entry.path())?,
                _ => {}
            }
        }
    }
    fs::remove_file(&file)?;
    fs::remove_dir(&dir)
}

/// Depth to which `/etc` is searched for what is private.
const PRIVATE_DEPTH: usize = 3;

/// Puts a copy in its place. In cases there are files and links at the top as well.
fn cover_with(copy: &Path, place: &Path) -> io::Result<()> {
    match fs::symlink_metadata(copy) {
        Ok(meta) if meta.is_symlink() => return symlink(fs::read_link(copy)?, place),
        Ok(meta) if meta.is_file() => drop(fs::File::create(place)?),
        Ok(_) | Err(_) => {
            fs::create_dir_all(copy)?;
            fs::create_dir_all(place)?;
        }
    }
    Ok(mount_bind(copy, place)?)
}

/// Returns an absolute path as it lies below another root.
pub fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// Bind-mounts a path at the same path below `root`.
fn bind(path: &Path, root: &Path) -> io::Result<()> {
    let place = inside(root, path);
    let Ok(meta) = fs::metadata(path) else { return Ok(()) };
    if meta.is_dir() {
        fs::create_dir_all(&place)?;
    } else {
        fs::create_dir_all(place.parent().unwrap_or(root))?;
        fs::File::create(&place)?;
    }
    Ok(mount_bind_recursive(path, &place)?)
}

/// Makes every mount below the new root read-only, except devices, and of processes all but what is the machine's.
fn make_read_only(root: &Path, machine: &[PathBuf]) -> io::Result<()> {
    let live = [root.join("dev"), root.join("proc")];
    let is_live = |at: &PathBuf| live.iter().any(|live| at.starts_with(live));
    let ours = |at: &PathBuf| {
        at.starts_with(root) && at != root && (!is_live(at) || machine.iter().any(|place| at.starts_with(place)))
    };
    let mounted: Vec<PathBuf> = mounts()?.into_iter().map(|(at, _)| at).filter(ours).collect();
    make_read_only_at(&mounted)
}

fn make_read_only_at(places: &[PathBuf]) -> io::Result<()> {
    for (at, options) in mounts()?.into_iter().filter(|(at, _)| places.contains(at)) {
        // What the mount was not allowed before, it must not be allowed now.
        let more = [("nosuid", MountFlags::NOSUID), ("nodev", MountFlags::NODEV), ("noexec", MountFlags::NOEXEC)];
        let flags = more.iter().filter(|(word, _)| options.split(',').any(|option| option == *word));
        let flags = flags.fold(MountFlags::BIND | MountFlags::RDONLY, |flags, (_, flag)| flags | *flag);
        match mount_remount(&at, flags, "") {
            // What is covered by another mount can neither be reached nor written to.
            Ok(()) | Err(Errno::INVAL | Errno::NOENT | Errno::NOTDIR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Returns every mount with its options.
fn mounts() -> io::Result<Vec<(PathBuf, String)>> {
    let table = fs::read_to_string("/proc/self/mountinfo")?;
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let (at, options) = (fields.get(4)?, fields.get(5)?);
        Some((PathBuf::from(unescaped(at)), (*options).to_owned()))
    };
    Ok(table.lines().filter_map(line).collect())
}

/// Decodes the octal escapes of the mount table, such as `\040` for a space.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                out.push(char::from(code));
                out.push_str(&part[3..]);
            }
            None => {
                out.push('\\');
                out.push_str(part);
            }
        }
    }
    out
}

/// Switches on the loopback interface, the only one that a new network has: the message to the kernel is what `ip link set lo
/// up` sends.
fn network_of_its_own() -> io::Result<()> {
    const LENGTH: u32 = 32;
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
    const LOOPBACK: i32 = 1;
    const UP: u32 = 1;
    let mut message = Vec::new();
    message.extend(LENGTH.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    // The number of the message, and for whom it is: the kernel.
    message.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    // The family, and the kind of interface, as they are.
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    // No protocol is number 0, that of routes and interfaces.
    let kernel = socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    sendto(&kernel, &message, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = [0; 256];
    recv(&kernel, &mut answer, RecvFlags::empty())?;
    match i32::from_ne_bytes([answer[16], answer[17], answer[18], answer[19]]) {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}
