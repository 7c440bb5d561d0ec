package io.mainstem.store;

import java.io.Serial;

/** MS-0206: a record of the log fails its checksum; its bytes are never handed out. */
public final class DamagedRecordException extends LostRecordException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final long lsn;

    /** @param file where the record should be */
    public DamagedRecordException(long lsn, String file, String what) {
        super(
                "MS-0206",
                "The record at LSN " + lsn + " in " + file + " is damaged: " + what + ".",
                "restore the file from a copy; 'mainstem store verify' shows the extent.");
        this.lsn = lsn;
    }

    /** Where it stands in the log. */
    public long lsn() {
        return lsn;
    }
}
