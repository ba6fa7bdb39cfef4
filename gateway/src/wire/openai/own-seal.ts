/** `encrypted_content` of reasoning items that the gateway makes for models with APIs of their own begins with it. */
export const OWN_SEAL = 'gatehouse.';

/** Whether the item has what the model has signed: it holds for the summary as it was. */
export const hasOwnSeal = ({ encrypted_content: sealed }: { readonly encrypted_content?: unknown }): boolean =>
  typeof sealed === 'string' && sealed.startsWith(OWN_SEAL);
