/** The cases of the conformance suite as data. `{{name}}` in a text is a variable of the run. */

/** A value that a request of a case is built from. Its texts can contain variables. */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [name: string]: Template };

export type CaseCredentials =
  /** Those of the command. */
  | { readonly kind: 'caller' }
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly id: string; readonly secret: string }
  | { readonly kind: 'api-key'; readonly key: string };

export interface CaseRequest {
  /** Default: the method of the operation. */
  readonly method?: string;
  readonly params?: Readonly<Record<string, string>>;
  /** Pairs, because a name can be repeated. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; with `text`, sent unchanged. */
  readonly body?: Template;
  readonly text?: string;
  readonly credentials?: CaseCredentials;
}

/** How to delete what a case creates, even if its response was lost. */
export interface Undo {
  /** Kind and name for messages: `group {{run}}-group`. */
  readonly entity: string;
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  /** The values of variables that the response did not set: the name in place of the id. */
  readonly fallback?: Readonly<Record<string, string>>;
  /** Finds the id by name if the response was lost: the list, the field with the name, and the variable of the id. */
  readonly find?: {
    readonly operation: string;
    readonly query: readonly (readonly [name: string, value: string])[];
    readonly field: string;
    readonly value: string;
    readonly idField: string;
    readonly variable: string;
  };
}

export interface ConformanceCase {
  readonly operation: string;
  /** Unique within the operation. */
  readonly name: string;
  readonly request: CaseRequest;
  /**
   * refusal: a conforming service refuses it. read: reads. write: part of a scenario that deletes what it creates.
   */
  readonly kind: 'refusal' | 'read' | 'write';
  /** It is sent also if the caller lacks the roles of the operation, to see the refusal. */
  readonly ignoresRoles?: boolean;
  /** A request with the operation's normal result. */
  readonly isSuccess?: boolean;
  /** The response contains entities of the deployment, so only declared types are compared, not values. */
  readonly existing?: boolean;
  /**
   * Variables to set from the response of success: `groupId: body.groupId`, `next: link`, `tag: header.etag`,
   * `userId: text:{{run}}-user`. A case with a variable that is not set is not sent.
   */
  readonly save?: Readonly<Record<string, string>>;
  readonly undo?: Undo;
  /** The entities (of `Undo.entity`) that it deletes if it succeeds. */
  readonly deletes?: readonly string[];
}

/** Cases that are sent one after the other, and stop together. */
export interface Scenario {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
}

/** The variables of a run at one deployment. */
export type Variables = Map<string, string>;

export function listVariables(value: unknown): string[] {
  return [...(JSON.stringify(value) ?? '').matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
}

/** Replaces the variables in all texts of a value. */
export function fillTemplate<Value>(value: Value, variables: ReadonlyMap<string, string>): Value {
  if (typeof value === 'string')
    return value.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables.get(name) ?? '') as Value;
  if (Array.isArray(value)) return value.map((one) => fillTemplate(one, variables)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillTemplate(one, variables)])) as Value;
}
