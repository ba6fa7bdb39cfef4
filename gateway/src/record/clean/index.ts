export { boundTrace, cleanRecord, cleanWatched, loggedTraceId, type WholeTexts } from './clean-record.ts';
export { isTextCredential, knownScrubber } from './credentials.ts';
export { type Cleaner, createCleaner } from './document-cleaner.ts';
export { createTextCleaner, type TextCleaner } from './text-cleaner.ts';
