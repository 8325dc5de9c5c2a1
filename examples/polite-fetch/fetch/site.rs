//! The far side: an nginx that serves a folder and refuses what goes beyond its limits, as a real site does.
//!
//! Owns the site's limits, its process and its access log. Knows nothing of budgets: it judges by what arrives.

use std::fs::{self, File};
use std::net::TcpStream;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, bail, ensure};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use tokio::process::{Child, Command};

use super::{PATIENCE, wait};

/// Requests a second that the site serves.
pub const RATE_PER_S: u32 = 50;
/// Requests that the site serves at once on top of that before it refuses (one more than this when it was idle).
pub const BURST: u32 = 10;
/// Requests that the site serves at the same time.
pub const CONNECTIONS: u32 = 4;
/// What the site answers to a request beyond its rate.
pub const STATUS_RATE: u16 = 429;
/// What the site answers to a request beyond its connections.
pub const STATUS_CONNECTIONS: u16 = 503;

/// What a path keeps as it is; the rest is percent-encoded, so that neither a URL nor a JSON string needs more care.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Where Debian puts nginx, which isn't on the PATH of everybody.
const NGINX_OF_DEBIAN: &str = "/usr/sbin/nginx";

/// The nginx to start.
pub fn nginx() -> &'static Path {
    let debian = Path::new(NGINX_OF_DEBIAN);
    if debian.exists() { debian } else { Path::new("nginx") }
}

/// An nginx that serves one folder on loopback; ended when dropped.
pub struct Site {
    nginx: Child,
    port: u16,
    access_log: PathBuf,
}

/// A file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its path as a request names it: percent-encoded, from the root.
    pub uri: String,
    /// Its size.
    pub bytes: u64,
}

impl Site {
    /// Starts an nginx on `port` whose configuration and logs lie in `dir`, and returns once it listens.
    ///
    /// # Errors
    /// nginx doesn't listen in time; its own words lie in `dir/nginx-error.log`.
    pub async fn start(dir: &Path, folder: &Path, port: u16) -> anyhow::Result<Self> {
        let config = dir.join("nginx.conf");
        fs::write(&config, configuration(dir, folder, port)?)?;
        let mut nginx = Command::new(nginx())
            .arg("-p")
            .arg(dir)
            .arg("-c")
            .arg(&config)
            .args(["-e", "nginx-error.log"])
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start nginx")?;
        wait::until(PATIENCE, "nginx listens", async || {
            if let Some(status) = nginx.try_wait()? {
                bail!("nginx ended with {status}");
            }
            Ok(TcpStream::connect(("127.0.0.1", port)).is_ok())
        })
        .await?;
        Ok(Self { nginx, port, access_log: dir.join("access.log") })
    }

    /// Where a page can be fetched.
    pub fn url(&self, page: &Page) -> String {
        format!("http://127.0.0.1:{}{}", self.port, page.uri)
    }

    /// What was asked of the site so far, and how it answered: a line a request, in the format of the configuration.
    pub fn access_log(&self) -> anyhow::Result<String> {
        Ok(fs::read_to_string(&self.access_log)?)
    }

    /// Ends the site.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        Ok(self.nginx.kill().await?)
    }

    /// Fails if the site is gone.
    pub fn check(&mut self) -> anyhow::Result<()> {
        match self.nginx.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("nginx ended with {status}"),
        }
    }
}

/// What nginx is told. One process without privileges: so a request is off the count of connections before the next one is
/// looked at. Connections aren't kept alive, and nothing lingers: a fetch that is over holds no connection.
fn configuration(dir: &Path, folder: &Path, port: u16) -> anyhow::Result<String> {
    let quoted = |path: &Path| {
        let text = path.to_str().filter(|text| !text.contains(['"', '\\', '$', '\n']));
        text.map(|text| format!("\"{text}\""))
            .with_context(|| format!("nginx can't be told of the path {}", path.display()))
    };
    let temporary = quoted(&dir.join("nginx-temporary"))?;
    let folder = quoted(folder)?;
    Ok(format!(
        r#"daemon off;
master_process off;
pid nginx.pid;
error_log nginx-error.log notice;
events {{ worker_connections 1024; }}
http {{
    limit_req_zone $binary_remote_addr zone=rate:1m rate={RATE_PER_S}r/s;
    limit_conn_zone $binary_remote_addr zone=connections:1m;
    limit_req_status {STATUS_RATE};
    limit_conn_status {STATUS_CONNECTIONS};
    log_format answers "$msec $status $body_bytes_sent $request_uri";
    access_log access.log answers;
    client_body_temp_path {temporary};
    proxy_temp_path {temporary};
    fastcgi_temp_path {temporary};
    uwsgi_temp_path {temporary};
    scgi_temp_path {temporary};
    keepalive_timeout 0;
    lingering_close off;
    sendfile on;
    server {{
        listen 127.0.0.1:{port};
        root {folder};
        location / {{
            limit_req zone=rate burst={BURST} nodelay;
            limit_conn connections {CONNECTIONS};
        }}
    }}
}}
"#
    ))
}

/// The first `count` files below `folder` that can be read, in the order of their names.
///
/// # Errors
/// There are fewer.
pub fn pages(folder: &Path, count: usize) -> anyhow::Result<Vec<Page>> {
    let mut pages = Vec::new();
    collect(folder, folder, count, &mut pages)?;
    ensure!(pages.len() == count, "{} has {} files; {count} are needed", folder.display(), pages.len());
    Ok(pages)
}

/// Adds files below `dir` until there are `count`; what a link points to isn't followed.
fn collect(folder: &Path, dir: &Path, count: usize, pages: &mut Vec<Page>) -> anyhow::Result<()> {
    let listing = fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
    let mut entries = listing.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        if pages.len() == count {
            return Ok(());
        }
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(folder, &path, count, pages)?;
        } else if kind.is_file() && File::open(&path).is_ok() {
            let below = path.strip_prefix(folder).expect("it was found below the folder");
            let uri = format!("/{}", percent_encode(below.as_os_str().as_bytes(), ENCODED));
            pages.push(Page { uri, bytes: entry.metadata()?.len() });
        }
    }
    Ok(())
}
