/** Operations of browsers. */
export { SIGN_IN } from './sign-in.ts';
