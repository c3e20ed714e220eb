/** A few users of the server, as examples: those of the seed. */
import { useRead } from '../use-read.ts';

const maxUsers = 4;

/** Undefined until they are read. The administrator comes last: it may do everything, so it is no example. */
export function useFirstUsers() {
  const { data } = useRead(['users', 'first'], ({ control }, signal) =>
    control.GET('/users', { params: { query: { limit: maxUsers } }, signal }),
  );
  return data?.toSorted((one, other) => Number(one.userName === 'admin') - Number(other.userName === 'admin'));
}
