/** Rows of the database, as queries give them. Times are instants; objects are columns of type jsonb. */
import { z } from 'zod';
import { ORGANISATION_ROLES, WORKSPACE_ROLES } from '../kinds/index.ts';

/** The account of a person. */
export const userRow = z.strictObject({
  id: z.uuid(),
  /** In lower case. */
  email: z.string().max(254),
  first_name: z.string().max(255),
  last_name: z.string().max(255),
  role: z.enum(ORGANISATION_ROLES),
  /** False: the directory has suspended the account. */
  active: z.boolean(),
  /** What the directory calls the account. */
  external_id: z.string().max(255).nullable(),
  /** Who signs the person in, and the name that it has there. */
  issuer: z.string().max(2_048).nullable(),
  subject: z.string().max(255).nullable(),
  created_at: z.date(),
  updated_at: z.date(),
  /** The name that the directory signs the person in with, as it is written there; null: the e-mail address. */
  user_name: z.string().max(255).nullable(),
  /** In lower case. */
  user_name_key: z.string().max(255).nullable(),
  /** As the directory shows the person; null: both names. */
  display_name: z.string().max(255).nullable(),
});
export type UserRow = z.output<typeof userRow>;

/** An invitation to have an account; the token of its link is known by its hash only. */
export const inviteRow = z.strictObject({
  id: z.uuid(),
  email: z.string().max(254),
  role: z.enum(['admin', 'member']),
  workspaces: z.array(z.strictObject({ workspace: z.string().max(63), role: z.enum(WORKSPACE_ROLES) })).max(500),
  /** Scopes of the key that the person gets in each of the workspaces; null: no key. */
  key_scopes: z.array(z.string()).max(200).nullable(),
  token_sha256: z.string().length(64),
  /** Id of the key that invited, or of the user. */
  invited_by: z.string(),
  created_at: z.date(),
  expires_at: z.date(),
  accepted_at: z.date().nullable(),
  cancelled_at: z.date().nullable(),
});
export type InviteRow = z.output<typeof inviteRow>;

/** A group of the directory. */
export const groupRow = z.strictObject({
  id: z.uuid(),
  display_name: z.string().max(255),
  /** In lower case: two groups do not have the same name. */
  name_key: z.string().max(255),
  external_id: z.string().max(255).nullable(),
  /** False: a mapping has named it, and the directory has not sent it yet. */
  provisioned: z.boolean(),
  created_at: z.date(),
  updated_at: z.date(),
});
export type GroupRow = z.output<typeof groupRow>;

/** A person in a group; people who have been deleted since may be left. */
export const groupMemberRow = z.strictObject({ group_id: z.uuid(), user_id: z.uuid() });
export type GroupMemberRow = z.output<typeof groupMemberRow>;

/** The token of the directory, known by its hash only; there is one. */
export const scimTokenRow = z.strictObject({
  name: z.literal('default'),
  sha256: z.string().length(64),
  created_at: z.date(),
  /** Id of the key that made it. */
  created_by: z.string(),
});
export type ScimTokenRow = z.output<typeof scimTokenRow>;

/** A content that an object has had. */
export const revisionRow = z.strictObject({
  object_uid: z.uuid(),
  /** SHA-256 of its canonical JSON, in lower-case hex. */
  digest: z.string().length(64),
  /** Highest for the content that was current last. */
  ordinal: z.int(),
  kind: z.string(),
  content: z.record(z.string(), z.unknown()),
  made_at: z.date(),
});
export type RevisionRow = z.output<typeof revisionRow>;

const change = z.strictObject({
  kind: z.string(),
  /** Namespace and name, or the id. */
  object: z.string(),
  /** `rotate`: other values in a Secret, which records never have. */
  action: z.enum(['create', 'update', 'delete', 'rotate']),
  /** Without secrets; null: there was none, or there is none. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
});
export type AuditChange = z.output<typeof change>;

/** A person who is signed in. */
export const sessionRow = z.strictObject({
  id_sha256: z.string().length(64),
  user_id: z.uuid(),
  created_at: z.date(),
  /** When it was used last, to the minute. */
  used_at: z.date(),
  expires_at: z.date(),
});
export type SessionRow = z.output<typeof sessionRow>;

/** One write of the management API. */
export const auditRow = z.strictObject({
  id: z.uuid(),
  at: z.date(),
  request_id: z.string(),
  /** E.g. `configs.create`. */
  operation: z.string(),
  method: z.string(),
  path: z.string(),
  actor_type: z.enum(['api_key', 'user', 'scim', 'anonymous']),
  actor_id: z.string().nullable(),
  actor_user: z.string().nullable(),
  workspace: z.string().nullable(),
  status: z.int(),
  error_code: z.string().nullable(),
  /** It took over what another tool owns. */
  forced: z.boolean(),
  /** It is of a write that no call has made; the actor is anonymous, its id the field manager. */
  outside: z.boolean(),
  /** What the call has sent, without secrets, as JSON; null: it was not understood, or sent nothing. */
  request_body: z.string().nullable(),
  query_params: z.string().nullable(),
  /** Some that hold no credential, as JSON. */
  request_headers: z.string().nullable(),
  /** The other end of the connection to the gateway. */
  client_ip: z.string().nullable(),
  changes: z.array(change),
});
export type AuditRow = z.output<typeof auditRow>;
