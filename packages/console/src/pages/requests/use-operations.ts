/** The operations of the service with their documented statuses and error codes, to choose from. */
import { useMemo } from 'react';
import { useRead } from '../../api/use-read.ts';

export interface DocumentedOperation {
  readonly operation: string;
  readonly statuses: readonly number[];
  readonly codes: readonly string[];
}

/** Empty until they are known. They do not change while a server runs. */
export function useOperations(): readonly DocumentedOperation[] {
  const { data } = useRead(['operations'], ({ control }, signal) => control.GET('/coverage', { signal }), {
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(
    () =>
      (data?.items ?? []).map(({ operation, statuses, codes }) => ({
        operation,
        statuses: statuses.map(({ status }) => status),
        codes: codes.map(({ code }) => code),
      })),
    [data],
  );
}

/** Values for a selection: sorted, each once, with the current one even if it is not among them. */
export function listChoices(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value): value is string => value !== undefined && value !== ''))].sort();
}
