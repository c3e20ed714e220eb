/**
 * The mainframe: logons of the store, or a real one over HTTP. Names of logons are upper-case here. Every call throws
 * IamError MAINFRAME_UNAVAILABLE where the mainframe does not answer. Where the embedded one hashes a password, that is
 * on behalf of the given lane.
 */
import type { MobileNumber } from '../identity/contacts.ts';
import type { HashLane } from '../identity/hash-queue.ts';
import type { Passwords } from '../identity/passwords.ts';
import type { Store } from '../store/store.ts';
import type { Logon } from '../store/tables.ts';
import type { IntegrationDeps } from './integrations.ts';
import { createHttpMainframe } from './mainframe-http.ts';

/** What the mainframe tells of a logon: where its owner is reached. */
export interface LogonContacts {
  readonly email?: string | undefined;
  readonly mobile?: MobileNumber | undefined;
}

export interface NewLogon extends LogonContacts {
  readonly logon: string;
  /** Without one nobody logs in with it before a reset. */
  readonly password?: string | undefined;
}

export interface Mainframe {
  /** Whether this is the password of this logon; false too where there is no such logon, for the same work. */
  verify(logon: string, password: string, lane: HashLane): Promise<boolean>;
  /** Undefined where there is no such logon. */
  find(logon: string): Promise<LogonContacts | undefined>;
  /** False where the logon is there already. @throws IamError PASSWORD_NOT_FOR_MAINFRAME. */
  create(logon: NewLogon, lane: HashLane): Promise<boolean>;
  /** False where there is no such logon. @throws IamError PASSWORD_NOT_FOR_MAINFRAME. */
  setPassword(logon: string, password: string, lane: HashLane): Promise<boolean>;
  /** Takes a logon back that was just made. */
  remove(logon: string): Promise<void>;
}

export function createMainframe(parts: IntegrationDeps): Mainframe {
  const { mainframeUrl } = parts.settings;
  return mainframeUrl === undefined ? createEmbeddedMainframe(parts) : createHttpMainframe(mainframeUrl, parts);
}

interface EmbeddedDeps {
  readonly store: Store;
  readonly passwords: Passwords;
}

/** Logons of the store, with passwords kept as those of users are. */
function createEmbeddedMainframe({ store, passwords }: EmbeddedDeps): Mainframe {
  return {
    async verify(logon, password, lane) {
      const row = await store.logons.get(logon);
      return passwords.matches(password, row?.passwordHash, lane);
    },
    async find(logon) {
      const row = await store.logons.get(logon);
      return row && { email: row.email, mobile: row.mobile };
    },
    async create({ logon, password, email, mobile }, lane) {
      const passwordHash = password === undefined ? undefined : await passwords.hash(password, lane);
      const row: Logon = {
        logon,
        ...(passwordHash === undefined ? {} : { passwordHash }),
        ...(email === undefined ? {} : { email }),
        ...(mobile === undefined ? {} : { mobile }),
      };
      return store.transaction(async (tx) => {
        if (await tx.logons.get(logon)) return false;
        await tx.logons.insert(row);
        return true;
      });
    },
    async setPassword(logon, password, lane) {
      const passwordHash = await passwords.hash(password, lane);
      return store.transaction(async (tx) => {
        const row = await tx.logons.get(logon);
        if (row) await tx.logons.replace({ ...row, passwordHash });
        return row !== undefined;
      });
    },
    async remove(logon) {
      await store.transaction((tx) => tx.logons.delete(logon));
    },
  };
}
