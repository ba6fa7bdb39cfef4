export type { LogRecord, RequestLog } from './request-log.ts';
