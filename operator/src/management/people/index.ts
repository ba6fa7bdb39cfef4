/** People in the database. */
export { acceptInvite, createInvite, directoryOf, isDuplicate, type NewInvite, renewInvite } from './directory.ts';
