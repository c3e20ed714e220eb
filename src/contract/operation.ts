/**
 * The declaration of an operation. Router, authorization, validation, OpenAPI document, client, CLI and conformance tests
 * are derived from it. Only `handle` is code; the type of its context is defined by the server.
 */
import type * as z from 'zod';
import type { AuditDeclaration, TargetField } from './audit.ts';
import type { EntityName } from './entities.ts';
import type { ErrorCode, ErrorItem } from './errors.ts';
import { parseRoles, type RoleExpression } from './roles.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Accepted authentication: `client-id` accepts ?clientId= besides bearer, basic and API key; `none` requires none. */
export type Auth = 'client-id' | 'caller' | 'none';

/** `200e`: the interface documents 200 with an error array as well (soft errors). */
export type DocumentedStatus = number | '200e';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Names of the parameters in `/groups/{groupId}/role/{roleName}`. */
export type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never;

/** A page of an ordered list. `next` is the key after which the next page starts; absent at the end. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string | undefined;
  /** The number of entries on all pages, if the request asks for it. */
  readonly total?: number | undefined;
  /** Headers that extend the default ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response body that is not JSON. */
export interface PlainText {
  readonly contentType: string;
  readonly text: string | Uint8Array;
  /** Headers that override or extend the default ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: 200. */
  readonly status?: number;
}

/** A response body in chunks, for bodies that are too large for memory. */
export interface ByteStream {
  readonly contentType: string;
  readonly chunks: Iterable<Uint8Array>;
}

/** A streamed text response that ends when the client disconnects. */
export interface TextStream {
  readonly contentType: string;
  readonly chunks: AsyncIterable<string>;
  /** Sent after a period without data, so that both sides detect a broken connection. */
  readonly heartbeat: string;
  /** Aborts when the stream ends. */
  readonly closed: AbortSignal;
  /** The roles that reading on requires, if they are more than those of the operation. */
  readonly roles?: RoleExpression | undefined;
  /** The last chunk for a caller that may read no more. */
  formatEnd(reason: StreamEnd): string;
}

/** Why a stream ended: what a new request would be answered. */
export interface StreamEnd {
  readonly status: number;
  readonly errors: readonly ErrorItem[];
}

/** A response value that is sent in a header, and its field name. */
export interface ResponseHeader {
  readonly name: string;
  readonly field: string;
  readonly description: string;
  readonly example: string;
}

export type ResponseDeclaration =
  | {
      readonly status: 200 | 201;
      readonly body: z.ZodType;
      /** The response contains a token or a secret. */
      readonly secret?: boolean;
      /**
       * The response is one entity: it has an ETag, and writes support If-Match. The ETag of a `stored` entity is of the
       * fields that its update writes; the handler sets it.
       */
      readonly entity?: true | 'stored';
      /** Media types besides JSON that the caller can request with Accept. */
      readonly alternatives?: readonly string[];
      /** The response is a stream of bodies. */
      readonly stream?: true;
    }
  | {
      readonly status: 204;
      /** The value of the response, sent in a header. The handler returns it as a field of this name. It is a secret. */
      readonly header?: ResponseHeader;
    }
  /** A list: 200 on the last page, 206 with a Link header before. */
  | {
      readonly page: z.ZodType;
      /** The query parameter `count` returns the number of entries on all pages in the header X-Total-Count. */
      readonly counted?: true;
    };

/** What the handler returns for a response declaration. */
export type HandlerResult<R> = R extends { readonly page: infer Item extends z.ZodType }
  ? Page<z.input<Item>>
  : R extends { readonly stream: true }
    ? TextStream
    : R extends { readonly body: infer Body extends z.ZodType; readonly alternatives: readonly string[] }
      ? z.input<Body> | PlainText | ByteStream
      : R extends { readonly body: infer Body extends z.ZodType }
        ? z.input<Body>
        : R extends { readonly header: { readonly field: infer Field extends string } }
          ? { readonly [Key in Field]: string }
          : // biome-ignore lint/suspicious/noConfusingVoidType: what an async handler without a return statement returns.
            void;

export interface RequestDeclaration {
  readonly params?: Shape;
  readonly query?: Shape;
  /** A query parameter that is not declared is an error. */
  readonly strictQuery?: boolean;
  /** Headers that the operation reads. If it documents no 400, a header that is not valid is ignored. */
  readonly headers?: Shape;
  readonly body?: z.ZodType;
  /** The schema of the body has asynchronous checks. */
  readonly bodyChecks?: 'async';
  /** The error for a malformed body, if the interface treats it as a wrong credential. */
  readonly malformedBody?: Extract<ErrorCode, 'CREDENTIALS_INVALID'>;
  /** Maximum body size in bytes, overriding the settings. Lists two levels deep are parsed entry by entry. */
  readonly bodyLimit?: number;
  /** The body and its content type are ignored. */
  readonly bodyIgnored?: boolean;
  /** The body is a form (application/x-www-form-urlencoded) of text fields, or a JSON object of them. */
  readonly form?: boolean;
  /** The only parameters of the form that can be repeated: their value is then a list. */
  readonly repeatable?: readonly string[];
  /** Authorization contains the credentials of a user, not of the client. The body is then optional and not validated. */
  readonly userBasicAuth?: boolean;
  /** The body can also contain client credentials, so the handler authenticates the client. */
  readonly clientInBody?: boolean;
}

/** The schema of a response that is one JSON value. */
type ResponseBody<R> = R extends { readonly stream: true }
  ? never
  : R extends { readonly body: infer Body }
    ? Body
    : never;

type ShapeValue<S> = S extends Shape ? { readonly [Key in keyof S]: z.output<S[Key]> } : Record<never, never>;

/** The input of a handler, validated against the declaration. */
export interface HandlerInput<R extends RequestDeclaration> {
  readonly params: ShapeValue<R['params']>;
  readonly query: ShapeValue<R['query']>;
  readonly headers: ShapeValue<R['headers']>;
  readonly body: R['body'] extends z.ZodType
    ? z.output<R['body']> | (R['userBasicAuth'] extends true ? undefined : never)
    : undefined;
  readonly accept: string;
}

export interface CliExample {
  /** A short description of the example. */
  readonly title: string;
  /** Arguments and options after the command, as typed: `ops --role DEPLOY`. */
  readonly command: string;
}

/** Examples for the OpenAPI document, if the generated ones are unclear or not valid. */
export interface OpenapiExamples {
  readonly body?: unknown;
  /** For a list, one item. */
  readonly response?: unknown;
}

/** Properties common to a declaration and its operation. */
interface Traits {
  readonly title: string;
  readonly description: string;
  readonly method: Method;
  readonly auth: Auth;
  /** Errors have the format of RFC 6749, 5.2, or are a page for a person, instead of the error array. */
  readonly errorFormat?: 'oauth' | 'page' | undefined;
  /** A page whose handler decides whether pages of other origins may load it in a frame; they may load no other. */
  readonly checksFrames?: true;
  /** A page to which applications may send forms across sites (OpenID Connect Core 1.0, 3.1.2.1; RP-Initiated Logout 1.0, 2). */
  readonly acceptsForeignForms?: true;
  /** The codes that the handler can throw. The codes of the pipeline are derived. */
  readonly errors: readonly ErrorCode[];
  /**
   * The fields of the body, or `authorization`, that identify a user, a logon, a contact or a client whose existence the
   * caller must not learn, including by timing. Required if the operation does not require authentication.
   */
  readonly identifies?: readonly string[] | undefined;
  readonly openapiExamples?: OpenapiExamples | undefined;
  /** Do not use for new integrations. */
  readonly deprecated?: boolean;
  /** The entity that a successful request creates. */
  readonly creates?: EntityName;
  /**
   * Whether it removes or disables something for good; by default, if its method is DELETE. False: it takes a value that the
   * caller names out of a list, and its counterpart adds it again.
   */
  readonly destructive?: boolean;
  /** Issues a token for the secret of a client: the client calls it before other operations. */
  readonly clientLogin?: true;
  /** The name of the hand-written command that calls exactly this operation. */
  readonly customCommand?: string;
  /** `base`: the path is relative to the base URL instead of the service prefix. */
  readonly mount?: 'base';
  /** False if the growth limits do not apply although callers without roles are accepted: a revocation must not fail. */
  readonly growthLimit?: false;
  /** A GET that changes something, as the pages do that browsers are sent to. The store of any other one rejects writes. */
  readonly writes?: true;
  /** Changes what a user logs in with, or what lasts beyond the login: with a whole token only, not one of a service. */
  readonly needsWholeToken?: true;
  /** Renews sessions in its one transaction: up to a number per session, that is no creation for the growth limits. */
  readonly renewsSession?: true;
}

export interface Declaration<
  Path extends string,
  Req extends RequestDeclaration,
  Res extends ResponseDeclaration,
  Context,
> extends Traits {
  /** `area.verb`; the file is `operations/<area>/<verb>.ts`, the client method `client.<area>.<verb>()`. */
  readonly id: string;
  /** Relative to the service prefix, unless `mount` says otherwise. */
  readonly path: Path;
  /** The role expression, as in the interface. */
  readonly roles: string;
  /** What the audit log records. */
  readonly audit: AuditDeclaration<
    PathParameters<NoInfer<Path>>,
    TargetField<NoInfer<Req>['body']>,
    TargetField<ResponseBody<NoInfer<Res>>>,
    keyof NoInfer<Req>['query'] & string
  >;
  /** Every status that the interface documents. */
  readonly status: readonly DocumentedStatus[];
  readonly request: Req &
    ([PathParameters<Path>] extends [never] ? unknown : { readonly params: Record<PathParameters<Path>, z.ZodType> });
  readonly response: Res;
  /** The name of its command: `groups add-role`. Absent if the command is hand-written. */
  readonly command?: string;
  readonly cliExamples?: readonly CliExample[];
  handle(input: HandlerInput<Req>, context: Context): Promise<HandlerResult<Res>>;
}

/** A declaration as stored in the registry: parsed, and without the types of the handler. */
export interface Operation<Context = never> extends Traits {
  readonly id: string;
  readonly path: string;
  readonly roles: RoleExpression;
  readonly rolesText: string;
  readonly audit: AuditDeclaration;
  /** Documented statuses as numbers; the soft 200 is among them. */
  readonly statuses: readonly number[];
  readonly softErrors: boolean;
  readonly request: RequestDeclaration;
  readonly response: ResponseDeclaration;
  readonly command?: string | undefined;
  readonly cliExamples: readonly CliExample[];
  handle(input: HandlerInput<RequestDeclaration>, context: Context): Promise<unknown>;
}

/** The type of a declared operation, from which the client infers request and response types. */
export interface OperationTypes<Req extends RequestDeclaration, Res extends ResponseDeclaration> {
  readonly request: Req;
  readonly response: Res;
}

/** Returns `defineOperation` for handlers with the context type `Context`. */
export function createOperationDefiner<Context>() {
  return function defineOperation<
    const Path extends string,
    const Req extends RequestDeclaration,
    const Res extends ResponseDeclaration,
  >(declaration: Declaration<Path, Req, Res, Context>): Operation<Context> & OperationTypes<Req, Res> {
    const softErrors = declaration.status.includes('200e');
    const statuses = [...new Set(declaration.status.map((status) => (status === '200e' ? 200 : status)))].sort(
      (a, b) => a - b,
    );
    return {
      ...declaration,
      roles: parseRoles(declaration.roles),
      rolesText: declaration.roles,
      statuses,
      softErrors,
      cliExamples: declaration.cliExamples ?? [],
      handle: (input, context) => declaration.handle(input as HandlerInput<Req>, context),
    };
  };
}
