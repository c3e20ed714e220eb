/** The shape of the generated manifest: the registry as plain data, for programs that load neither zod nor the server. */
import type { EntityName, FieldExtensions } from './entities.ts';
import type { ErrorEntry } from './error-entry.ts';
import type { Auth, CliExample, Method } from './operation.ts';
import type { Sensitivity } from './sensitive.ts';

/** JSON Schema 2020-12. In the manifest it has no references. */
export interface JsonSchema extends FieldExtensions {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly description?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The value is shown in no log, trace, preview or error message. */
  readonly sensitive?: Sensitivity;
  readonly [keyword: string]: unknown;
}

/** A parameter of the path or the query, or a header. */
export interface ManifestField {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface ManifestOperation {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly method: Method;
  readonly path: string;
  readonly auth: Auth;
  /** The role expression in canonical words; `parseRoles` reads it. */
  readonly roles: string;
  readonly statuses: readonly number[];
  readonly softErrors: boolean;
  /** read: GET. destructive: something is gone afterwards. write: everything else. */
  readonly effect: 'read' | 'write' | 'destructive';
  /** Repeating the same call leaves the same state (RFC 9110, 9.2.2). */
  readonly idempotent: boolean;
  /** The entity that it creates, where it creates one. */
  readonly creates?: EntityName;
  /** The words of its command, e.g. `groups add-role`; absent where a command is written by hand or there is none. */
  readonly command?: string;
  readonly examples: readonly CliExample[];
  /** In the order of the path. */
  readonly params: readonly ManifestField[];
  readonly query: readonly ManifestField[];
  /** Headers that it reads, where it reads any of its own. */
  readonly headers?: readonly ManifestField[];
  readonly deprecated?: boolean;
  /** The JSON Schema of the request body, where the operation reads one. */
  readonly body?: JsonSchema;
  readonly response: {
    readonly status: number;
    /** An ordered list with limit and after: 200 complete, 206 with a Link header where more follows. */
    readonly page: boolean;
    /** Carries a token or a secret that is shown this once. */
    readonly secret: boolean;
    /** Carries an ETag that If-Match takes on writes. */
    readonly entity: boolean;
    /** Where a 204 has its one value; the client gives it as an object with this field. */
    readonly header?: { readonly name: string; readonly field: string };
    /** Schema of the body, or of one item of a page; absent for 204. */
    readonly schema?: JsonSchema;
  };
}

/** What a route of the control plane takes; its path is relative to `controlPrefix`. */
export interface ManifestRoute {
  readonly method: Method;
  readonly path: string;
  readonly query: readonly ManifestField[];
  readonly body?: JsonSchema;
}

/** A setting of the server, as `iam serve` offers it. */
export interface ManifestSetting {
  /** Flag without the dashes, e.g. `signing-alg`. */
  readonly name: string;
  readonly environment: string;
  readonly kind: 'text' | 'integer' | 'boolean' | 'list';
  readonly values?: readonly string[];
  /** As it would be typed; absent where there is none. */
  readonly default?: string;
  readonly description: string;
  /** False where the setting comes from the environment or a file only (secrets). */
  readonly flag: boolean;
}

export interface ManifestError extends ErrorEntry {
  readonly code: string;
}

export interface Manifest {
  /** Version of the package the manifest was made from. */
  readonly version: string;
  /** The path before every operation's: /security/iam/v1 */
  readonly prefix: string;
  readonly operations: readonly ManifestOperation[];
  /** The path before every route of the control plane: /_iam */
  readonly controlPrefix: string;
  readonly controlRoutes: readonly ManifestRoute[];
  readonly errors: readonly ManifestError[];
  readonly settings: readonly ManifestSetting[];
}
