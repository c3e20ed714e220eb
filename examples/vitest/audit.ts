/** The program under test: may the holder of this token see the groups? */
export async function mayAudit(baseUrl: string, token: string): Promise<boolean> {
  const answer = await fetch(`${baseUrl}/groups`, { headers: { Authorization: `Bearer ${token}` } });
  return answer.ok;
}
