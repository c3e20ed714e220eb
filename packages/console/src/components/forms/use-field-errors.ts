/** Shows the errors of a request at the fields of its form, and gives the first of them the focus. */
import { useState } from 'react';
import { RequestError } from '../../api/errors.ts';
import { splitFieldErrors } from './field-errors.ts';

/** A form of Mantine: its inputs have the props of `getInputProps`. */
export interface ErrorForm {
  setErrors(errors: Record<string, string>): void;
  clearErrors(): void;
  getInputNode(path: string): HTMLElement | null;
}

export interface FieldErrorOptions {
  readonly form?: ErrorForm | undefined;
  /** The fields whose names differ from their paths in the body: `{ userMobile: 'mobile' }`. */
  readonly fieldNames?: Readonly<Record<string, string>> | undefined;
}

export function useFieldErrors({ form, fieldNames = {} }: FieldErrorOptions) {
  const [rest, setRest] = useState<unknown>();
  return {
    /** What no field shows. */
    rest,
    /** Before the request, and when the form is closed. */
    clear() {
      form?.clearErrors();
      setRest(undefined);
    },
    async show(error: unknown) {
      if (!(error instanceof RequestError)) return setRest(error);
      const findField = (path: string) => {
        const field = fieldNames[path] ?? path;
        return form?.getInputNode(field) ? field : undefined;
      };
      const errors = splitFieldErrors(error.items, findField, form ? await readErrorFields(error) : {});
      form?.setErrors({ ...errors.fields });
      const { others } = errors;
      setRest(others.length === 0 ? undefined : new RequestError(error.status, others, error.requestId));
      const [first] = Object.keys(errors.fields);
      if (first !== undefined) form?.getInputNode(first)?.focus();
    },
  };
}

/** Without a response, the server that has them may be down. */
async function readErrorFields({ status }: RequestError): Promise<Readonly<Record<string, readonly string[]>>> {
  if (status === undefined) return {};
  return import('../../api/error-hints.ts').then(
    ({ errorFields }) => errorFields,
    () => ({}),
  );
}
