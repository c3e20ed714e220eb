/** Derives the type of the client (names, inputs and results) from the registry of operations. Types only. */
import type * as z from 'zod';
import type { OperationTypes, RequestDeclaration, ResponseDeclaration } from '../contract/operation.ts';

type Shape = Readonly<Record<string, z.ZodType>>;
type OperationType = OperationTypes<RequestDeclaration, ResponseDeclaration>;

/** Values of path and query parameters. */
export type Scalar = string | number | boolean;

/** Options that every method accepts besides the input of its operation. */
export interface CallOptions {
  /** Sent as If-Match: the write is rejected if the entity has changed since the response with this ETag. */
  readonly ifMatch?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Sends no credentials. */
  readonly anonymous?: boolean | undefined;
}

/** Untyped input of an operation. */
export interface CallInput extends CallOptions {
  readonly params?: Readonly<Record<string, Scalar>> | undefined;
  readonly query?: Readonly<Record<string, Scalar | undefined>> | undefined;
  readonly body?: unknown;
}

type OptionalKeys<T> = { [Key in keyof T]-?: Record<never, never> extends Pick<T, Key> ? Key : never }[keyof T];
type IsOptional<T> = Exclude<keyof T, OptionalKeys<T>> extends never ? true : false;

/** A part of the input: required if any of its properties is; absent if the operation has no such part. */
type InputPart<Name extends string, Value> =
  IsOptional<Value> extends true ? { readonly [Key in Name]?: Value | undefined } : { readonly [Key in Name]: Value };

type ParamsPart<S> = S extends Shape ? { readonly params: { readonly [Key in keyof S]: Scalar } } : unknown;
type QueryPart<S> = S extends Shape ? InputPart<'query', z.input<z.ZodObject<S>>> : unknown;
type HeadersPart<S> = S extends Shape ? InputPart<'headers', z.input<z.ZodObject<S>>> : unknown;
type BodyPart<B> = B extends z.ZodType ? InputPart<'body', z.input<B>> : unknown;

type PropertyValue<Req, Key extends string> = Req extends { readonly [K in Key]: infer Value } ? Value : undefined;

export type InputOf<O extends OperationType> = CallOptions &
  ParamsPart<PropertyValue<O['request'], 'params'>> &
  QueryPart<PropertyValue<O['request'], 'query'>> &
  HeadersPart<PropertyValue<O['request'], 'headers'>> &
  BodyPart<PropertyValue<O['request'], 'body'>>;

/** One page of a list; `next` is the cursor for `after`, absent at the end. */
export interface ResultPage<Item> {
  readonly items: readonly Item[];
  readonly next?: string | undefined;
}

export type ResultOf<O extends OperationType> = O['response'] extends { readonly page: infer Item extends z.ZodType }
  ? ResultPage<z.output<Item>>
  : O['response'] extends { readonly body: infer Body extends z.ZodType }
    ? z.output<Body>
    : O['response'] extends { readonly header: { readonly field: infer Field extends string } }
      ? { readonly [Key in Field]: string }
      : undefined;

export type OperationMethod<O extends OperationType> =
  IsOptional<InputOf<O>> extends true
    ? (input?: InputOf<O>) => Promise<ResultOf<O>>
    : (input: InputOf<O>) => Promise<ResultOf<O>>;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type HeadOf<Id> = Id extends `${infer Head}.${string}` ? Head : Id & string;
type AreaEntries<Registry, Head extends string> = {
  readonly [Id in keyof Registry as Id extends `${Head}.${infer Tail}` ? Tail : never]: Registry[Id];
};

/** `groups.add-role` becomes `groups.addRole`, `user-identities.factors.add` becomes `userIdentities.factors.add`. */
export type AreasOf<Registry> = {
  readonly [Head in HeadOf<keyof Registry> as CamelCase<Head>]: (Head extends keyof Registry
    ? Registry[Head] extends OperationType
      ? OperationMethod<Registry[Head]>
      : never
    : unknown) &
    AreasOf<AreaEntries<Registry, Head>>;
};
