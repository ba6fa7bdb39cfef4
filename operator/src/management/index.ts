/** The management API: REST operations on the same resources that kubectl writes. docs/behaviour/management.md */
export {
  type AuditLog,
  type AuditLogOptions,
  createAuditLog,
  createOutsideWrites,
  createRetention,
  type OutsideWrites,
  type OutsideWritesOptions,
  type Retention,
  toLogLine,
  whyNotKept,
} from './audit/index.ts';
export { type Caller, callerOfKey, hashesOf, type KeyDirectory } from './callers/index.ts';
export * from './database/index.ts';
export { OPERATIONS, type Services, syncMembers } from './families/index.ts';
export { toAuditRecord } from './http/audit-record.ts';
export { type CallReport, createManagementServer, type ManagementServerOptions } from './http/server.ts';
export { createLogExports, type ExportSource, exportSourceOf, type LogExports, readFile } from './log-exports/index.ts';
export {
  createLogDatabase,
  type DocumentSource,
  type FoundContent,
  findContent,
  type LogBucketPorts,
  type LogObjectSettings,
  type LogObjects,
  type LogReader,
  type LogSource,
  type OpenLogReader,
  openLogObjects,
  openLogReader,
} from './logs/index.ts';
export { createMcpTest, type McpTest } from './mcp-test/index.ts';
export * from './policy-usage/index.ts';
export * from './revisions/index.ts';
export {
  createSignIn,
  parseSignIn,
  type SignIn,
  type SignInSettings,
} from './sessions/index.ts';
export * from './store/index.ts';
export { createTenancy, type Tenancy } from './tenancy/index.ts';
