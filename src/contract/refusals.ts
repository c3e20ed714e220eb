/** The part of the error table for calls that are well formed and allowed, but that a state or a rule refuses: 412 and 422. */
export interface ErrorEntry {
  readonly status: number;
  readonly message: string;
  /** What the caller can do about it; shown by the CLI and in docs/errors.md. */
  readonly fix: string;
}

export const refusals = {
  // 412: a state that the call relies on does not hold
  GROUP_NAME_TAKEN: {
    status: 412,
    message: 'Another group has this name.',
    fix: 'Choose another name, or update the group that is there.',
  },
  GROUP_IN_USE: { status: 412, message: 'Other groups depend on this group.', fix: 'Remove those dependencies first.' },
  LAST_ADMINISTRATOR: {
    status: 412,
    message: 'No administrator who can sign in would be left.',
    fix: 'Make another user an administrator first.',
  },
  BOOTSTRAP_CLIENT: {
    status: 412,
    message: 'The clients of the first start can not be removed.',
    fix: 'Replace its secret with --reset-admin instead.',
  },
  CHANGED_MEANWHILE: {
    status: 412,
    message: 'It was changed since it was read.',
    fix: 'Read it again, and apply the change to what is there now.',
  },
  USER_UNKNOWN: { status: 412, message: 'There is no user with this id.', fix: 'Check the user id.' },
  BUSINESS_UNKNOWN: { status: 412, message: 'There is no business with this id.', fix: 'Check the business id.' },
  ID_TAKEN: {
    status: 412,
    message: 'This id is in use, or was once: ids are not used again.',
    fix: 'Choose another id.',
  },
  API_KEY_TAKEN: {
    status: 412,
    message: 'This key is in use already.',
    fix: 'Send another key, or none and have one made.',
  },
  LOGIN_NAME_TAKEN: {
    status: 412,
    message: 'Another user logs in with this name.',
    fix: 'Choose another name. User ids, user names, verified e-mails and identifiers share one name space.',
  },
  CODE_INVALID: { status: 412, message: 'The code is not valid, or no longer.', fix: 'Ask for a new code.' },
  BUSINESS_NOT_ALLOWED: {
    status: 412,
    message: 'The caller may not put users into this business.',
    fix: 'Leave businessId out, or call as a proven first-party client or as an administrator.',
  },
  LOCK_OF_SELF: { status: 412, message: 'Nobody locks himself.', fix: 'Have another administrator do it.' },
  LAST_IDENTITY: {
    status: 412,
    message: 'A user keeps its user name as a login identifier.',
    fix: 'Change the user name instead of removing it.',
  },
  CORPORATE_GROUP_NAME_TAKEN: {
    status: 412,
    message: 'Another corporate group has this name.',
    fix: 'Choose another name, or update the corporate group that is there.',
  },
  CORPORATE_GROUP_UNKNOWN: {
    status: 412,
    message: 'There is no corporate group with this id.',
    fix: 'List the corporate groups to find its id, or make it first.',
  },
  DOCUMENT_TAKEN: {
    status: 412,
    message: 'Another customer of the same kind has this document.',
    fix: 'Check the document; look among the customers for who has it.',
  },
  CUSTOMER_TAKEN: {
    status: 412,
    message: 'The user is a customer already.',
    fix: 'Use the customer id that the user has.',
  },
  TOO_MANY_CLIENTS: {
    status: 412,
    message: 'The owner has as many clients as one may have.',
    fix: 'Remove a client that is no longer used.',
  },
  PASSWORD_EXISTS: {
    status: 412,
    message: 'The user has a password already.',
    fix: 'Change it, which needs the current one, or reset it by a code.',
  },
  PASSWORD_WRONG: {
    status: 412,
    message: 'The current password is another.',
    fix: 'Send the current password, or reset it by a code.',
  },
  FACTOR_NOT_VERIFIED: {
    status: 412,
    message: 'This contact is not verified, so no proof goes there.',
    fix: 'Verify it first by a code sent to it, or choose another.',
  },
  FACTOR_TAKEN: {
    status: 412,
    message: 'The user has this contact, or a factor of this id is there.',
    fix: 'Use the one that is there.',
  },
  MAIN_CONTACT: {
    status: 412,
    message: 'A main contact is not changed here.',
    fix: 'Have an administrator update the user.',
  },
  LOGON_TAKEN: {
    status: 412,
    message: 'This logon is taken.',
    fix: 'Choose another logon; one belongs to one user at most.',
  },
  SUBJECT_UNKNOWN: {
    status: 412,
    message: 'The proof is right, but belongs to no user.',
    fix: 'Link the account to a user, or have the user verify the same e-mail address.',
  },
  // 422: a well-formed value that a rule refuses
  OWNER_AMBIGUOUS: {
    status: 422,
    message: 'A client has at most one owner.',
    fix: 'Send one of userId, businessId and serviceAccountId.',
  },
  SELECTION_AMBIGUOUS: {
    status: 422,
    message: 'Clients are chosen in one way, not in two.',
    fix: 'Send either clientIds or source.',
  },
  LISTED_BUSINESS_UNKNOWN: {
    status: 422,
    message: 'The list names a business that is not there.',
    fix: 'Check the business ids; a business comes to be as a customer.',
  },
  BUSINESS_IN_CORPORATE_GROUP: {
    status: 422,
    message: 'The business is in another corporate group.',
    fix: 'Take it out of that one first: a business is in one at most.',
  },
  ROLE_RESERVED: {
    status: 422,
    message: 'This role is given by the service itself, never by a group.',
    fix: 'Choose a role that does not start with CLI- or AUTH- and is not USER, PERSON or BUSINESS.',
  },
  SERVICE_UNKNOWN: {
    status: 422,
    message: 'There is no service of this id.',
    fix: 'Check the service account id; a client gets one when it is made.',
  },
  USER_NOT_OF_BUSINESS: {
    status: 422,
    message: 'The business has no user of this id.',
    fix: 'Check the user id, or make the user one of this business first.',
  },
  DEPENDENCY_UNKNOWN: {
    status: 422,
    message: 'There is no group of the name that the dependency gives.',
    fix: 'Create that group first.',
  },
  DEPENDENCY_CYCLE: {
    status: 422,
    message: 'The groups would depend on each other in a circle.',
    fix: 'Leave out one of the dependencies of the circle.',
  },
  PASSWORD_TOO_SHORT: {
    status: 422,
    message: 'The password is too short.',
    fix: 'Choose one of at least 8 characters.',
  },
  PASSWORD_TOO_LONG: {
    status: 422,
    message: 'The password is too long.',
    fix: 'Choose one of at most 128 characters.',
  },
  PASSWORD_COMMON: {
    status: 422,
    message: 'The password is one of those that are tried first.',
    fix: 'Choose one that others do not use; several words are easy to keep in mind.',
  },
  PASSWORD_CONTEXT: {
    status: 422,
    message: 'The password contains the user name or the e-mail address.',
    fix: 'Choose one that nobody guesses from the account.',
  },
  PASSWORD_NOT_FOR_MAINFRAME: {
    status: 422,
    message: 'The mainframe does not take this password.',
    fix: 'Choose one that keeps the rule of the mainframe, see the setting mainframe-password-rule.',
  },
  CONTACT_AMBIGUOUS: {
    status: 422,
    message: 'Exactly one contact is asked for.',
    fix: 'Send either an e-mail or a mobile number, and the one that contactType names.',
  },
  TAG_TAKEN: {
    status: 422,
    message: 'One e-mail and one mobile at most carry the tag MARKED_RESOURCES.',
    fix: 'Take the tag off the other contact first.',
  },
  TOO_MANY_FACTORS: {
    status: 422,
    message: 'The user has as many alternative contacts as one may have.',
    fix: 'Remove one that is no longer used.',
  },
  SCOPE_EXCEEDED: {
    status: 422,
    message: 'More scope is asked for than there is to give.',
    fix: 'Ask for a part of the scope of the client.',
  },
  GRANT_TYPE_NOT_ALLOWED: {
    status: 422,
    message: 'The client may not use this grant type.',
    fix: 'Use one of the grant types that the client is registered with.',
  },
} as const satisfies Record<string, ErrorEntry>;
