/** Infers the type of the client (names, inputs and results) from the registry of operations, to compare the generated types. */
import type * as z from 'zod';
import type { CallOptions, ResultPage, Scalar } from '../../src/client/types.ts';
import type { OperationTypes, RequestDeclaration, ResponseDeclaration } from '../../src/contract/operation.ts';

type Shape = Readonly<Record<string, z.ZodType>>;
type OperationType = OperationTypes<RequestDeclaration, ResponseDeclaration>;

/** Whether a value without any property is valid. */
type IsOptional<T> = Record<never, never> extends T ? true : false;

/** A part of the input: required if any of its properties is; absent if the operation has no such part. */
type InputPart<Name extends string, Value> =
  IsOptional<Value> extends true ? { readonly [Key in Name]?: Value | undefined } : { readonly [Key in Name]: Value };

/** The names that an operation declares: without the index signature of `Operation`, which accepts every name. */
type Declared<S> = { readonly [Name in keyof S as string extends Name ? never : Name]: S[Name] };

type ParamsPart<S> = S extends Shape ? { readonly params: { readonly [Name in keyof Declared<S>]: Scalar } } : unknown;
type QueryPart<S> = S extends Shape ? InputPart<'query', z.input<z.ZodObject<Declared<S>>>> : unknown;
type HeadersPart<S> = S extends Shape ? InputPart<'headers', z.input<z.ZodObject<Declared<S>>>> : unknown;
type BodyPart<B> = B extends z.ZodType ? InputPart<'body', z.input<B>> : unknown;

type PropertyValue<Req, Key extends string> = Req extends { readonly [K in Key]: infer Value } ? Value : undefined;

export type InputOf<O extends OperationType> = CallOptions &
  ParamsPart<PropertyValue<O['request'], 'params'>> &
  QueryPart<PropertyValue<O['request'], 'query'>> &
  HeadersPart<PropertyValue<O['request'], 'headers'>> &
  BodyPart<PropertyValue<O['request'], 'body'>>;

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
