/** undici publishes no types for its parts. This part is the `Client` of its index, without the rest of undici. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}
