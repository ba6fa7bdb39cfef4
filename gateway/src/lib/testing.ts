/** Shared by the tests beside the source. */
import { type ByteAccount, createByteBudget } from './byte-budget.ts';

/** An account that always has room. */
export const unlimitedAccount = (): ByteAccount => createByteBudget(Number.MAX_SAFE_INTEGER).open();
