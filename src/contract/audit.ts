/** What the audit log records of an operation, and the objects and filters of its events. */
import type * as z from 'zod';

/** An event is either about authentication (a login, a token, a code, a logout) or about a change. */
export type AuditKind = 'authentication' | 'administration';

/** Names of parameters of the path and the query, and of fields of the body and the response. A target is never a sensitive field. */
export type AuditDeclaration<
  PathField extends string = string,
  BodyField extends string = string,
  ResponseField extends string = string,
  QueryField extends string = string,
> =
  | {
      /** Has no body fields as targets, since a user may type a password into the wrong field. */
      readonly kind: 'authentication';
      readonly targets: { readonly path?: readonly PathField[]; readonly response?: readonly ResponseField[] };
    }
  | {
      readonly kind: 'administration';
      /** Each granted request changes something that is no row of an audited table, such as the clock. */
      readonly isChange?: true;
      readonly targets: {
        readonly path?: readonly PathField[];
        readonly query?: readonly QueryField[];
        readonly body?: readonly BodyField[];
        readonly response?: readonly ResponseField[];
      };
    }
  | {
      /** Only requests that fail authentication or authorization are recorded. */
      readonly kind: 'read';
      readonly targets: { readonly path?: readonly PathField[] };
    };

/** The values that identify what an event is about, by field. */
export type AuditTargets = Readonly<Record<string, string | readonly string[]>>;

/** A request, as far as targets are read from it. */
export interface TargetSource {
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  /** The body as sent; also of a rejected request. */
  readonly body?: unknown;
  /** The result of the handler. */
  readonly result?: unknown;
}

/** Reads the declared targets of a request. */
export interface TargetReader {
  /** Undefined if it has none. */
  read(source: TargetSource): AuditTargets | undefined;
  /** The objects that targets identify. */
  toObjects(targets: AuditTargets): readonly AuditObject[];
}

/** The fields of an object schema that are strings or string arrays. A list of objects has none. */
export type TargetField<Schema> = Schema extends z.ZodType ? TextField<z.input<Schema>> : never;

type TextField<Value> = Value extends readonly unknown[]
  ? never
  : Value extends object
    ? { [Key in keyof Value]-?: Value[Key] extends Recordable ? Key : never }[keyof Value] & string
    : never;

type Recordable = string | readonly string[] | null | undefined;

/** Objects without a page, list or reference of their own. */
const otherKinds = ['membership', 'device', 'logon', 'product', 'provider'] as const;

export const auditedEntities = [
  ...(['user', 'group', 'client', 'business', 'corporateGroup', 'customer', 'apiKey', 'factor'] as const),
  ...(['session', 'fault', 'sandbox', 'snapshot'] as const),
  ...otherKinds,
] as const;

export type AuditedEntity = (typeof auditedEntities)[number];

export interface AuditObject {
  readonly entity: AuditedEntity;
  /** The id, or what a rejected request named it by. */
  readonly id: string;
  readonly name?: string | undefined;
}

/** How far back a list of events goes, by the value of the header. */
export const auditExtents = {
  all: undefined,
  files: 'Older events were in files of the audit log that are deleted.',
  run: 'Only the last events of this run: this server has no files of its audit log.',
} as const;

export type AuditExtent = keyof typeof auditExtents;

export const auditExtentHeader = 'X-Iam-Audit-Extent';

/** The name of the server whose events are listed, if several share the store. */
export const auditServerHeader = 'X-Iam-Audit-Server';

/** Describes what a list of events cannot contain. @param extent the value of the header */
export function describeAuditExtent(extent: string | undefined | null): string | undefined {
  return auditExtents[extent as AuditExtent];
}

export interface AuditFilter {
  /** A user or a client by id, or the name of the caller. */
  readonly caller?: string | undefined;
  readonly entity?: string | undefined;
  /** The ids or names of one object. */
  readonly object?: readonly string[] | undefined;
  readonly operation?: string | undefined;
  readonly event?: string | undefined;
  readonly result?: string | undefined;
  /** Whether something was changed. */
  readonly changed?: boolean | undefined;
  /** Times in ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** What the filter compares of an event. */
export interface FilteredEvent {
  readonly time: string;
  readonly event: string;
  readonly operation?: string | undefined;
  readonly result: string;
  readonly changed?: true | undefined;
  readonly actor: {
    readonly clientId?: string | undefined;
    readonly userId?: string | undefined;
    readonly name?: string | undefined;
  };
  readonly objects?: readonly AuditObject[] | undefined;
}

export function matchesAuditFilter(
  { time, actor, objects = [], ...event }: FilteredEvent,
  filter: AuditFilter,
): boolean {
  const { caller, entity, object, since, until } = filter;
  for (const name of ['operation', 'event', 'result'] as const)
    if (filter[name] !== undefined && filter[name] !== event[name]) return false;
  if (filter.changed !== undefined && filter.changed !== (event.changed === true)) return false;
  if (since !== undefined && Date.parse(time) < Date.parse(since)) return false;
  if (until !== undefined && Date.parse(time) > Date.parse(until)) return false;
  if (caller !== undefined && ![actor.userId, actor.clientId, actor.name].includes(caller)) return false;
  if (entity === undefined && object === undefined) return true;
  return objects.some(
    (one) =>
      (entity === undefined || entity === one.entity) &&
      (object === undefined || object.includes(one.id) || object.includes(one.name ?? '')),
  );
}
