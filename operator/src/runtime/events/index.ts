export {
  createEventRecorder,
  EVENT_OUTCOMES,
  type EventDraft,
  type EventOutcome,
  type EventRecorder,
  type EventRecorderOptions,
} from './recorder.ts';
