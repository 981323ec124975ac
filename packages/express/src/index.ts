export {
  type ExpressHandler,
  expressHandler,
  type ExpressOptions,
  type ExpressRequest,
  type Middleware,
} from './express-handler.js';
