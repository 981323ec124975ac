/** Version 4 has no types of its own; what is used here is as in version 5. */
declare module 'express-v4' {
  import type express from 'express';
  const express4: typeof express;
  export default express4;
}
