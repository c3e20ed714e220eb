/** Serializes responses. Every response is parsed with its schema first, so that no undeclared field is sent. */
import { hash } from 'node:crypto';
import type * as z from 'zod';

export interface SerializedValue {
  readonly json: string;
  /** The length of the JSON in UTF-8. */
  readonly bytes: number;
  /** Computed on first use: most items of lists never need it. */
  etag?: string;
}

/** Serializes values of one schema. Values are never mutated; their JSON is cached as long as they are referenced. */
export interface Serializer {
  /** @throws ZodError if the value does not match the schema: a bug in the handler, returned as 500. */
  serialize(value: object): SerializedValue;
  /** Computes a strong ETag (RFC 9110, 8.8.3) of the JSON of a value. @throws ZodError, as `serialize` does. */
  computeEtag(value: object): string;
}

/** Returns the serializer of a schema, always the same one. */
export type Serializers = (schema: z.ZodType) => Serializer;

export function createSerializers(): Serializers {
  const bySchema = new WeakMap<z.ZodType, Serializer>();
  return (schema) => {
    const known = bySchema.get(schema);
    if (known) return known;
    const created = createSerializer(schema);
    bySchema.set(schema, created);
    return created;
  };
}

function createSerializer(schema: z.ZodType): Serializer {
  const serialized = new WeakMap<object, SerializedValue>();
  const serialize = (value: object): SerializedValue => {
    const known = serialized.get(value);
    if (known) return known;
    const created = serializeOnce(schema, value);
    serialized.set(value, created);
    return created;
  };
  return {
    serialize,
    computeEtag(value) {
      const wire = serialize(value);
      wire.etag ??= `"${hash('sha1', wire.json, 'base64url')}"`;
      return wire.etag;
    },
  };
}

/** Serializes a value without a cache. @throws ZodError, as `Serializer.serialize` does. */
export function serializeOnce(schema: z.ZodType, value: object): SerializedValue {
  const json = JSON.stringify(schema.parse(value));
  return { json, bytes: Buffer.byteLength(json) };
}
