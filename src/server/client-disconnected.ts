/** Thrown in place of work whose caller has disconnected: no answer could reach it. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}
