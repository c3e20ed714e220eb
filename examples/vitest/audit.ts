/** The program under test: whether this token may list groups. */
export async function mayAudit(baseUrl: string, token: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/groups`, { headers: { Authorization: `Bearer ${token}` } });
  return response.ok;
}
