/** Types of the generated manifest: the registry as plain data, for programs that do not load zod or the server. */
import type { EntityName, FieldExtensions } from './entities.ts';
import type { ErrorEntry } from './error-codes.ts';
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
  /** The value never appears in a log, trace, preview or error message. */
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
  /** The role expression in canonical form; `parseRoles` parses it. */
  readonly roles: string;
  readonly statuses: readonly number[];
  readonly softErrors: boolean;
  /** read: GET. destructive: deletes or disables something, and asks. write: everything else. */
  readonly effect: 'read' | 'write' | 'destructive';
  /** Repeating the request leaves the same state (RFC 9110, 9.2.2). */
  readonly idempotent: boolean;
  /** The entity that the operation creates. */
  readonly creates?: EntityName;
  /** The name of its command, e.g. `groups add-role`; absent if the command is hand-written or does not exist. */
  readonly command?: string;
  /** The name of the hand-written command that calls exactly this operation. */
  readonly customCommand?: string;
  /** Issues a token for the secret of a client. */
  readonly clientLogin?: true;
  readonly examples: readonly CliExample[];
  /** In the order of the path. */
  readonly params: readonly ManifestField[];
  readonly query: readonly ManifestField[];
  /** Headers specific to the operation. */
  readonly headers?: readonly ManifestField[];
  readonly deprecated?: boolean;
  /** The JSON Schema of the request body. */
  readonly body?: JsonSchema;
  readonly response: {
    readonly status: number;
    /** An ordered list with limit and after: 200 on the last page, 206 with a Link header before. */
    readonly page: boolean;
    /** Contains a token or a secret that is returned only once. */
    readonly secret: boolean;
    /** Has an ETag for If-Match on writes. */
    readonly entity: boolean;
    /** The header that contains the value of a 204 response; the client returns it as an object with this field. */
    readonly header?: { readonly name: string; readonly field: string };
    /** Schema of the body, or of one item of a page; absent for 204. */
    readonly schema?: JsonSchema;
  };
}

/** An example request of an operation: its required parameters and headers, and a body with all fields. */
export interface OperationExample {
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What only help shows about an operation. It is not part of the manifest, which every command loads. */
export interface OperationReference {
  /** Error codes by the status that the operation returns them with. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly example: OperationExample;
}

/** What every success of a route has. */
export interface PromisedResponse {
  /** The body is a list. */
  readonly list?: true;
  /** Fields that no success of a write lacks, and that nothing else returns: ids and secrets. */
  readonly required?: readonly string[];
  /** The header that has the value of the response. */
  readonly header?: string;
  /** Media types that it can have, if it is not an object or a list as JSON. */
  readonly types?: readonly string[];
}

/** A route of the control plane; its path is relative to `controlPrefix`. */
export interface ManifestRoute {
  readonly method: Method;
  readonly path: string;
  /** The role expression on a server with remote access. */
  readonly roles: string;
  /** Present if the server rejects it without test features. */
  readonly test?: true;
  /** In the order of the path. */
  readonly params: readonly ManifestField[];
  readonly query: readonly ManifestField[];
  readonly body?: JsonSchema;
  readonly response: PromisedResponse;
}

/** A setting of the server, an option of `iam serve`. */
export interface ManifestSetting {
  /** Flag without the dashes, e.g. `signing-alg`. */
  readonly name: string;
  readonly environment: string;
  readonly kind: 'text' | 'integer' | 'boolean' | 'list';
  readonly values?: readonly string[];
  /** The default as text; absent if there is none. */
  readonly default?: string;
  readonly description: string;
  /** False if the setting can only come from the environment or a file (secrets). */
  readonly flag: boolean;
}

export interface ManifestError extends ErrorEntry {
  readonly code: string;
}

export interface Manifest {
  /** Version of the package that the manifest was generated from. */
  readonly version: string;
  /** Path prefix of all operations: /security/iam/v1 */
  readonly prefix: string;
  readonly operations: readonly ManifestOperation[];
  /** Path prefix of all control-plane routes: /_iam */
  readonly controlPrefix: string;
  readonly controlRoutes: readonly ManifestRoute[];
  readonly errors: readonly ManifestError[];
  readonly settings: readonly ManifestSetting[];
}
