/** Thrown to abort work when the client has disconnected. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}
