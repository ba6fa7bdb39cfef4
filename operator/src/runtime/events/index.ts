export { createPatientRecorder, type PatientRecorderOptions } from './patient.ts';
export {
  createEventRecorder,
  EVENT_OUTCOMES,
  type EventDraft,
  type EventOutcome,
  type EventRecorder,
  type EventRecorderOptions,
} from './recorder.ts';
