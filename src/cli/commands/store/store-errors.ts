/** Errors of the server's code that a command runs on a store. */
import type { StoreOpenErrorKind } from '../../../server/store/open-error.ts';
import { CliError, usageError } from '../../errors.ts';

type ErrorClass<Instance> = abstract new (...args: never[]) => Instance;

/** The server is loaded late, and its classes with it. */
interface StoreErrorClasses {
  readonly usageErrors: readonly ErrorClass<Error>[];
  readonly StoreOpenError: ErrorClass<Error & { readonly kind: StoreOpenErrorKind }>;
  readonly openExitCodes: Readonly<Record<StoreOpenErrorKind, number>>;
}

/** Runs work of the server. @throws CliError if the store cannot be opened, or a setting is not valid */
export async function convertStoreErrors<Result>(
  work: () => Promise<Result>,
  { usageErrors, StoreOpenError, openExitCodes }: StoreErrorClasses,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (usageErrors.some((type) => error instanceof type)) throw usageError(`${(error as Error).message}.`);
    if (!(error instanceof StoreOpenError)) throw error;
    const code = `STORE_${error.kind.toUpperCase().replaceAll('-', '_')}`;
    throw new CliError(error.message, { code, exitCode: openExitCodes[error.kind] });
  }
}
