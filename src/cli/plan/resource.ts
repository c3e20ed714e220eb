/** The interface through which the engine plans, applies, prunes and exports every kind of resource. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { RequestContext } from '../context.ts';
import type { Execution, NewSecret } from './execution.ts';
import type { ManagedResource } from './inventory.ts';
import type { AnyChange, DiffResult, GroupChange, PlanIssue, ResourceKind, Step } from './model/changes.ts';
import type { DesiredEntry, DesiredState, DocumentEntry, ListName } from './model/desired-entries.ts';
import type { Member } from './model/members.ts';
import type { Portable } from './model/portable.ts';
import type { PlanCaller, RemoteState } from './model/remote-state.ts';
import type { ResourceIndex } from './model/resource-index.ts';

/** What a comparison needs besides the entries. */
export interface DiffContext {
  readonly state: RemoteState;
  readonly index: ResourceIndex;
  /** Memberships that --prune removes, by the name of the group. */
  readonly pruned: ReadonlyMap<string, readonly Member[]>;
}

/** What the lookup of references needs besides the entries. */
export interface ReferenceContext {
  readonly state: RemoteState;
  readonly changes: readonly AnyChange[];
}

/** Ids of resources that the documents refer to and cannot create on their own. */
export interface References {
  readonly users?: readonly string[];
  readonly businesses?: readonly string[];
  readonly services?: readonly string[];
}

/** What the check of references needs besides the entries. */
export interface CheckContext {
  readonly desired: DesiredState;
  readonly state: RemoteState;
  readonly index: ResourceIndex;
  readonly changes: readonly AnyChange[];
  /** Changes of groups by name. */
  readonly groupChanges: ReadonlyMap<string, GroupChange>;
  /** Ids and service accounts of clients that the changes delete. */
  readonly removedClients: ReadonlySet<string>;
  /** All groups after the changes, by name. */
  readonly groupsAfter: ReadonlyMap<string, unknown>;
}

/** What the order of the writes depends on. */
export interface StepContext {
  readonly state: RemoteState;
  readonly caller: PlanCaller;
}

/** Steps that do not depend on each other: they are sent at once. */
export type Stage<WriteStep extends Step = Step> = readonly WriteStep[];

/** The steps of one kind, by the phase of the apply. The stages of a phase are sent in turn. */
export interface StepPhases<WriteStep extends Step = Step> {
  /** Creations, updates and deletions that make room for them; in dependency order of the kinds. */
  readonly write?: readonly Stage<WriteStep>[];
  /** Deletions of credentials, before the deletion of what they belong to. */
  readonly revoke?: readonly Stage<WriteStep>[];
  /** Deletions, in reverse dependency order of the kinds. */
  readonly remove?: readonly Stage<WriteStep>[];
  /** Steps after which the caller may no longer be allowed to write. */
  readonly last?: readonly Stage<WriteStep>[];
}

/** What an apply writes: a kind of resource, or the memberships, which are no resource of their own. */
export interface Writable<WriteStep extends Step = Step> {
  readonly kind: ManagedResource['kind'] | ResourceKind;
  /** Display name. */
  readonly label: string;
  /** Orders the writes of the changes so that the server accepts each of them. Pure. */
  order(changes: readonly AnyChange[], context: StepContext): StepPhases<WriteStep>;
  /**
   * Applies one step: reads the resource again where it can have changed, and throws a conflict rather than overwrite
   * the change of another writer. A step that was already applied has no effect, so an interrupted apply can be repeated.
   */
  write(execution: Execution, step: WriteStep): Promise<void>;
}

/**
 * A kind of resource. `Document` is an entry of a document, `Remote` a resource on the server, `Change` the difference.
 * The methods are declared as methods, not as properties, so that a list can hold all kinds.
 */
export interface Resource<
  Document extends DesiredEntry = DesiredEntry,
  Remote = unknown,
  Change extends AnyChange = AnyChange,
  WriteStep extends Step = Step,
> extends Writable<WriteStep> {
  readonly kind: ResourceKind;
  /** The list of a document that holds the entries, and the part of the remote state that holds the resources. */
  readonly list: ListName;
  /** Whether only the control plane lists the resources. */
  readonly needsControlPlane: boolean;
  /** Kinds of the inventory's records that belong to this kind. */
  readonly recordKinds: readonly ManagedResource['kind'][];
  /** Lists that must be read to interpret the entries. */
  readonly requires: readonly ListName[];

  /** The fields of an entry. */
  readonly schema: JsonSchema;
  /** The field with the name that the user chooses, which must not be a reserved word. */
  readonly nameField?: string;
  /** The fields by which exported entries are sorted. */
  readonly sortFields: readonly string[];
  /** Converts an entry that has all required fields. */
  parse(entry: DocumentEntry, path: string): Document;
  /** Returns the entry with its names as the server stores them; absent if the server stores them as they are sent. */
  toStored?(document: Document, index: ResourceIndex): Document;
  /** Returns the names of an entry, by field, which must be visible as a whole if the resource is new; absent if no name must. */
  newNames?(document: Document, index: ResourceIndex): Readonly<Record<string, unknown>>;
  /** Returns the names that no other entry may have. */
  uniqueNames(document: Document): readonly string[];
  /** Returns the errors that do not depend on the server. */
  validate(documents: readonly Document[]): PlanIssue[];

  /** Reads the resources of this kind, and returns the parts of the remote state that they fill. */
  read(context: RequestContext, state: RemoteState): Promise<Partial<RemoteState>>;
  /** Returns the resources that have been read. */
  listRemote(state: RemoteState): Iterable<Remote>;
  idOf(remote: Remote): string;
  /** Returns the resource of an entry. */
  find(document: Document, index: ResourceIndex): Remote | undefined;

  /** Compares all entries with the server. */
  diff(documents: readonly Document[], context: DiffContext): DiffResult<Change>;
  /** Returns the ids that must be looked up to check the references of the entries. */
  listReferences(documents: readonly Document[], context: ReferenceContext): References;
  /** Returns the references of the entries to resources that do not exist after the changes. */
  check(documents: readonly Document[], context: CheckContext): PlanIssue[];
  /** Returns the deletion of a resource, which has this name in the record; absent if the API cannot delete this kind. */
  remove?(remote: Remote, state: RemoteState, recordedName: string): Change;
  /** The values of the fields that other writers can set and that a creation omits. */
  readonly creationDefaults: Readonly<Record<string, unknown>>;
  /** Identifies a resource before it has an id, by the fields of its creation or those that the server lists. */
  creationKey(fields: Readonly<Record<string, unknown>>): string;

  /** Describes the owner of a secret that a creation returns once; absent if creations return no secret. */
  describeSecretOwner?(secret: NewSecret): string;

  /** Returns an entry for each resource that another server accepts. The engine selects the fields of the schema and sorts. */
  export(state: RemoteState, portable: Portable): DocumentEntry[];
}
