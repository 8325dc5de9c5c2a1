//! What is done to a file between two syncs, for disks in memory that may lose it.

/// What was done to a file.
#[derive(Clone, Debug)]
pub enum Operation {
    SetLen(usize),
    Write(usize, Vec<u8>),
}

impl Operation {
    /// Does it to what is there.
    pub fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::SetLen(length) => bytes.resize(*length, 0),
            Self::Write(offset, data) => {
                let end = offset + data.len();
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes[*offset..end].copy_from_slice(data);
            }
        }
    }
}
