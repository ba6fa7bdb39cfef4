/** People who are signed in with a browser. */
export { callerOfPerson, callerOfSession, foreignOrigin, type Membership, membershipsOf } from './caller-of-session.ts';
export { ProviderAway, SignInRefused } from './provider.ts';
export { parseSignIn, type SignInSettings } from './settings.ts';
export { createSignIn, type SignIn, type SignInOptions } from './sign-in.ts';
