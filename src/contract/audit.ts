/** What the audit log records of an operation: the kind of its events and the fields that identify their targets. */
import type * as z from 'zod';

/** An event is either about authentication (a login, a token, a code, a logout) or about a change. */
export type AuditKind = 'authentication' | 'administration';

/** Names of path parameters and of fields of the body and the response. A target is never a sensitive field. */
export type AuditDeclaration<
  PathField extends string = string,
  BodyField extends string = string,
  ResponseField extends string = string,
> =
  | {
      /** Has no body fields as targets, since a user may type a password into the wrong field. */
      readonly kind: 'authentication';
      readonly targets: { readonly path?: readonly PathField[]; readonly response?: readonly ResponseField[] };
    }
  | {
      readonly kind: 'administration';
      readonly targets: {
        readonly path?: readonly PathField[];
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
  /** The body as sent; also of a rejected request. */
  readonly body?: unknown;
  /** The result of the handler. */
  readonly result?: unknown;
}

/** Reads the declared targets of a request; undefined if it has none. */
export type TargetReader = (source: TargetSource) => AuditTargets | undefined;

/** The fields of an object schema that are strings or string arrays. A list of objects has none. */
export type TargetField<Schema> = Schema extends z.ZodType ? TextField<z.input<Schema>> : never;

type TextField<Value> = Value extends readonly unknown[]
  ? never
  : Value extends object
    ? { [Key in keyof Value]-?: Value[Key] extends Recordable ? Key : never }[keyof Value] & string
    : never;

type Recordable = string | readonly string[] | null | undefined;
