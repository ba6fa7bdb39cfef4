export { createRealtime, type Realtime, type RealtimePorts } from './realtime.ts';
