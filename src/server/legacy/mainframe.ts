/**
 * The mainframe: logons in the store, or a real mainframe over HTTP. Logon names are upper-case. All methods throw
 * IamError MAINFRAME_UNAVAILABLE if the mainframe does not respond. The embedded mainframe hashes passwords in the flow of
 * the hash queue that is passed in.
 */

import type { HashFlow } from '../limits/hash-queue.ts';
import type { MobileNumber } from '../messaging/contacts.ts';
import type { Store } from '../store/store.ts';
import type { Logon } from '../store/tables.ts';
import type { Passwords } from '../users/passwords.ts';

export interface LogonContacts {
  readonly email?: string | undefined;
  readonly mobile?: MobileNumber | undefined;
}

export interface NewLogon extends LogonContacts {
  readonly logon: string;
  /** Without a password, the logon cannot log in before a reset. */
  readonly password?: string | undefined;
}

export interface Mainframe {
  /** Returns whether the password is correct; false for an unknown logon, after the same amount of work. */
  verify(logon: string, password: string, flow: HashFlow): Promise<boolean>;
  /** Returns undefined for an unknown logon. */
  find(logon: string): Promise<LogonContacts | undefined>;
  /** Returns false if the logon exists. @throws IamError PASSWORD_NOT_FOR_MAINFRAME. */
  create(logon: NewLogon, flow: HashFlow): Promise<boolean>;
  /** Returns false for an unknown logon. @throws IamError PASSWORD_NOT_FOR_MAINFRAME. */
  setPassword(logon: string, password: string, flow: HashFlow): Promise<boolean>;
  /** Deletes a logon that was just created. */
  remove(logon: string): Promise<void>;
}

interface EmbeddedDeps {
  readonly store: Store;
  readonly passwords: Pick<Passwords, 'asSent'>;
}

/** Logons in the store, with passwords hashed like those of users, but as sent. */
export function createEmbeddedMainframe({ store, passwords }: EmbeddedDeps): Mainframe {
  return {
    async verify(logon, password, flow) {
      const row = await store.logons.get(logon);
      return passwords.asSent.matches(password, row?.passwordHash, flow);
    },
    async find(logon) {
      const row = await store.logons.get(logon);
      return row && { email: row.email, mobile: row.mobile };
    },
    async create({ logon, password, email, mobile }, flow) {
      const passwordHash = password === undefined ? undefined : await passwords.asSent.hash(password, flow);
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
    async setPassword(logon, password, flow) {
      const passwordHash = await passwords.asSent.hash(password, flow);
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
