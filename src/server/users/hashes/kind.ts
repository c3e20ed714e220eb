/** A kind of hash that the service verifies. */
export interface HashKind {
  /** As messages name it. */
  readonly name: string;
  /** Whether a text claims to be a hash of this kind, complete and within the bounds or not. */
  has(hash: string): boolean;
  /** Why a hash of this kind is not verified, as a predicate; undefined if it is. */
  findProblem(hash: string): string | undefined;
  /** Whether the hash is of this password. Also false if the hash is not verified. @throws PasswordHashingError */
  verify(hash: string, password: string): Promise<boolean>;
}
