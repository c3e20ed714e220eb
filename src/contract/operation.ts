/**
 * What an operation is: one declaration from which router, authorization, validation, API document, client, CLI and the
 * tests over all operations are derived. `handle` alone is code; its context is the server's and not known here.
 */
import type * as z from 'zod';
import type { AuditDeclaration, TargetField } from './audit.ts';
import type { EntityName } from './entities.ts';
import type { ErrorCode } from './errors.ts';
import { parseRoles, type RoleExpression } from './roles.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a call may present itself: `client-id` takes ?clientId= besides bearer, basic and API key; `none` asks for nothing. */
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
}

/** Text that goes out as it is, for the few answers that are not JSON. */
export interface PlainText {
  readonly contentType: string;
  readonly text: string | Uint8Array;
  /** In the place of, or beside, those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes that go out as they are made: what is too long to be held whole. */
export interface ByteStream {
  readonly contentType: string;
  readonly chunks: Iterable<Uint8Array>;
}

/** Text that goes out bit by bit, as long as somebody reads it. */
export interface TextStream {
  readonly contentType: string;
  readonly chunks: AsyncIterable<string>;
  /** Sent when nothing else was for a while, so that both sides see whether the other is there. */
  readonly heartbeat: string;
  /** Given when nothing more comes. */
  readonly closed: AbortSignal;
}

/** A value that goes out in a header, and the name that it has as a field. */
export interface ResponseHeader {
  readonly name: string;
  readonly field: string;
  readonly description: string;
}

export type ResponseDeclaration =
  | {
      readonly status: 200 | 201;
      readonly body: z.ZodType;
      /** The answer carries a token or a secret. */
      readonly secret?: boolean;
      /** The answer is one entity: it carries an ETag, and writes to it honour If-Match. */
      readonly entity?: boolean;
      /** Media types besides JSON that the caller can ask for with Accept. */
      readonly alternatives?: readonly string[];
      /** One body after the other goes out, each as soon as it is there. */
      readonly stream?: true;
    }
  | {
      readonly status: 204;
      /** The one value of the answer, in a header: the handler returns it as a field of this name. It is a secret. */
      readonly header?: ResponseHeader;
    }
  /** A list: 200 where it is complete to the end, 206 and a Link header where more follows. */
  | { readonly page: z.ZodType };

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
          : undefined;

export interface RequestDeclaration {
  readonly params?: Shape;
  readonly query?: Shape;
  /** Headers that the operation reads. Where it documents no 400, one that is wrong counts as not given. */
  readonly headers?: Shape;
  readonly body?: z.ZodType;
  /** What a body that is malformed is answered with, where the interface takes it for a bad credential. */
  readonly malformedBody?: Extract<ErrorCode, 'CREDENTIALS_INVALID'>;
  /** So many bytes are taken, in the place of what the settings say; of lists two levels deep, read entry by entry. */
  readonly bodyLimit?: number;
  /** The body is not looked at, whatever it is and whatever its type says. */
  readonly bodyIgnored?: boolean;
  /** The body is a form (application/x-www-form-urlencoded) of text fields. */
  readonly form?: boolean;
  /** Authorization holds a user's pair, not the client's; where it does, the body may be anything or missing. */
  readonly userBasicAuth?: boolean;
  /** The client may present itself in the body as well, so the handler finds out who calls. */
  readonly clientInBody?: boolean;
}

/** The schema of a response that is one JSON value. */
type ResponseBody<R> = R extends { readonly stream: true }
  ? never
  : R extends { readonly body: infer Body }
    ? Body
    : never;

type ShapeValue<S> = S extends Shape ? { readonly [Key in keyof S]: z.output<S[Key]> } : Record<never, never>;

/** What a handler is given of the call, checked against the declaration. */
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
  /** What the example shows, in a few words. */
  readonly title: string;
  /** Arguments and options after the command, as typed: `ops --role DEPLOY`. */
  readonly command: string;
}

/** Values for the API document, where those made from names and schemas would say little or would be refused. */
export interface OpenapiExamples {
  readonly body?: unknown;
  /** Of a list, one item. */
  readonly response?: unknown;
}

/** Properties that a declaration and the operation made from it share. */
interface Traits {
  readonly title: string;
  readonly description: string;
  readonly method: Method;
  readonly auth: Auth;
  /** Failures are the object of RFC 6749, 5.2, not the error array. */
  readonly errorFormat?: 'oauth' | undefined;
  /** What its handler may throw. What the pipeline throws is derived. */
  readonly errors: readonly ErrorCode[];
  /**
   * The fields of the body, or `authorization`, by which a call names a user, a logon, a contact or a client that the
   * caller need not know to exist. Whether it does must not show in the work of the call. Required where callers need no
   * authentication.
   */
  readonly identifies?: readonly string[] | undefined;
  readonly openapiExamples?: OpenapiExamples | undefined;
  /** Callers should no longer begin to use it. */
  readonly deprecated?: boolean;
  /** The entity that a successful call creates. */
  readonly creates?: EntityName;
  /** Removes or disables something although its method is not DELETE. */
  readonly destructive?: true;
}

export interface Declaration<
  Path extends string,
  Req extends RequestDeclaration,
  Res extends ResponseDeclaration,
  Context,
> extends Traits {
  /** `area.verb`; the file is `operations/<area>/<verb>.ts`, the client method `client.<area>.<verb>()`. */
  readonly id: string;
  /** Relative to the service prefix. */
  readonly path: Path;
  /** The role expression, in the words of the interface. */
  readonly roles: string;
  /** What the audit log records of it. */
  readonly audit: AuditDeclaration<
    PathParameters<NoInfer<Path>>,
    TargetField<NoInfer<Req>['body']>,
    TargetField<ResponseBody<NoInfer<Res>>>
  >;
  /** Every status that the interface documents for it. */
  readonly status: readonly DocumentedStatus[];
  readonly request: Req &
    ([PathParameters<Path>] extends [never] ? unknown : { readonly params: Record<PathParameters<Path>, z.ZodType> });
  readonly response: Res;
  /** The words of its command: `groups add-role`. Absent where the command is written by hand. */
  readonly command?: string;
  readonly cliExamples?: readonly CliExample[];
  handle(input: HandlerInput<Req>, context: Context): Promise<HandlerResult<Res>>;
}

/** A declaration as the registry holds it: everything parsed, nothing of the handler's types left. */
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

/** The type of a declared operation; the client reads request and answer from it, by `import type`. */
export interface OperationTypes<Req extends RequestDeclaration, Res extends ResponseDeclaration> {
  readonly request: Req;
  readonly response: Res;
}

/** Makes the `defineOperation` of a server whose handlers get `Context`. */
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
