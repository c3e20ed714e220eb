/** Entries of the documents, parsed and without defaults. */
import type { Member, MemberKind } from './members.ts';

/** An entry as written in a document. */
export type DocumentEntry = Readonly<Record<string, unknown>>;

/** An entry of any kind. */
export interface DesiredEntry {
  /** Path in the documents, for diagnostics: `groups/0`. */
  readonly path: string;
}

export interface DesiredGroup extends DesiredEntry {
  readonly groupName: string;
  /** Null clears the field; undefined leaves it unchanged. */
  readonly organizationId?: string | null;
  readonly businessUnitId?: string | null;
  readonly roles?: readonly string[];
  readonly dependencies?: readonly string[];
  /** All members by kind. An absent kind is left unchanged. */
  readonly members: Partial<Readonly<Record<MemberKind, readonly Member[]>>>;
}

export interface DesiredClient extends DesiredEntry {
  readonly clientId?: string;
  readonly serviceAccountId?: string;
  /** All other fields. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface DesiredApiKey extends DesiredEntry {
  readonly apiKeyId?: string;
  readonly appId: string;
  readonly clientId?: string;
  readonly serviceAccountId?: string;
}

export interface DesiredCorporateGroup extends DesiredEntry {
  readonly corporateGroupName: string;
  readonly organizationId?: string | null;
  readonly businesses?: readonly string[];
}

export interface DesiredCustomer extends DesiredEntry {
  readonly kind: 'business' | 'user';
  readonly businessId?: string;
  readonly userId?: string;
  readonly document: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface DesiredState {
  readonly set?: string | undefined;
  readonly groups: readonly DesiredGroup[];
  readonly clients: readonly DesiredClient[];
  readonly apiKeys: readonly DesiredApiKey[];
  readonly corporateGroups: readonly DesiredCorporateGroup[];
  readonly customers: readonly DesiredCustomer[];
}

/** The name that the server stores for a typed one: in NFC, or as an older server stored it. */
export function toStoredName(name: string, isKnown: (name: string) => boolean): string {
  return isKnown(name) ? name : name.normalize('NFC');
}

/** A list of a document: one for each kind of resource. */
export type ListName = Exclude<keyof DesiredState, 'set'>;
