/** Who changed what. docs/behaviour/people.md#audit */
export { actionOf, OTHER_ACTIONS } from './action.ts';
export { type AuditLog, type AuditLogOptions, createAuditLog } from './audit-log.ts';
export { toLogLine, whyNotKept } from './log-line.ts';
export { maskedHeaders, maskedJson } from './masked-request.ts';
export { maskedText } from './masked-text.ts';
export { createOutsideWrites, type OutsideWrites, type OutsideWritesOptions } from './outside-writes.ts';
export { recordingStore } from './recording-store.ts';
export { createRetention, type Retention } from './retention.ts';
