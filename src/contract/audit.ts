/** What the audit log records of an operation: the kind of its events, and the fields that identify what they are about. */
import type * as z from 'zod';

/** An event is about a proof of identity (a login, a token, a code, a logout), or about a change. */
export type AuditKind = 'authentication' | 'administration';

/** Names of path parameters, and of fields of the body and of the response. A target is never a sensitive field. */
export type AuditDeclaration<
  PathField extends string = string,
  BodyField extends string = string,
  ResponseField extends string = string,
> =
  | {
      /** Names no fields of the body: somebody may type a password into the wrong one. */
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
      /** Only requests that are refused for their caller are recorded. */
      readonly kind: 'read';
      readonly targets: { readonly path?: readonly PathField[] };
    };

/** The fields of a schema's object that hold text or a list of texts. A list of objects has none. */
export type TargetField<Schema> = Schema extends z.ZodType ? TextField<z.input<Schema>> : never;

type TextField<Value> = Value extends readonly unknown[]
  ? never
  : Value extends object
    ? { [Key in keyof Value]-?: Value[Key] extends Recordable ? Key : never }[keyof Value] & string
    : never;

type Recordable = string | readonly string[] | null | undefined;
