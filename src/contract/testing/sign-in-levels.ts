/** The authentication levels of a session that begins without a password. */
export const signInLevels = ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'] as const;
