//! A root and a network of a client's own: what is the user's is covered by copies, nothing else can be written to, and no
//! other machine is there.
#![expect(clippy::disallowed_methods, reason = "the room lays out a tree of its own")]

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_remount, unmount};
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, sendto, socket};
use rustix::process::{chdir, pivot_root};

/// Top-level directories that stay writable: devices and processes are not files of the user.
const LIVE: [&str; 3] = ["dev", "proc", "sys"];
/// Top-level directories that start empty: they hold sockets and temporary files of other programs.
const EMPTY: [&str; 2] = ["tmp", "run"];
/// Paths below the empty directories that a system may need to find its programs.
const NEEDED: [&str; 2] = ["run/current-system", "run/wrappers"];

/// Goes into a root of its own, inside namespaces that somebody made. `covers` are directories that the trees below `tree` take
/// the place of; `kept` are programs below them, which stay.
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
            if !fresh && !EMPTY.iter().any(|empty| name == *empty) {
                mount_bind_recursive(entry.path(), &place)?;
            }
        }
    }
    NEEDED.iter().map(|needed| Path::new("/").join(needed)).try_for_each(|needed| bind(&needed, &root))?;
    fs::create_dir_all(root.join("tmp"))?;
    make_read_only(&root)?;
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
    fs::remove_dir("/tmp/.old")
}

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

/// Makes every mount below the new root read-only, except those of `LIVE`.
fn make_read_only(root: &Path) -> io::Result<()> {
    let live: Vec<PathBuf> = LIVE.iter().map(|name| root.join(name)).collect();
    let ours = |at: &PathBuf| at.starts_with(root) && at != root && !live.iter().any(|live| at.starts_with(live));
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
