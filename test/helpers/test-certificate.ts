/**
 * Test data: a self-signed certificate for store.example.test with its private key, which protects nothing.
 * Made with `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500`.
 */
export const testCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgseeDp1Xku9vUMWjQ
pVe4wMVgQ6yPwXrUuGM4UShfoEmhRANCAAT66/dbyDRrU9SPWzpAN9FHYM86LRTy
nhGOOunmmYmw0jRuYdeUhI+02cYSpDWbioi4/fQJkuzInRtizLhCZO82
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBsDCCAVagAwIBAgIUFJhtMAP7JmdcOj2HwUNcdCyuWlQwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSc3RvcmUuZXhhbXBsZS50ZXN0MCAXDTI2MTEyMTA2MDc1OFoY
DzIxMjYxMDI4MDYwNzU4WjAdMRswGQYDVQQDDBJzdG9yZS5leGFtcGxlLnRlc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT66/dbyDRrU9SPWzpAN9FHYM86LRTy
nhGOOunmmYmw0jRuYdeUhI+02cYSpDWbioi4/fQJkuzInRtizLhCZO82o3IwcDAd
BgNVHQ4EFgQUfJq1njl24397dckUp6ypuwD5B5YwHwYDVR0jBBgwFoAUfJq1njl2
4397dckUp6ypuwD5B5YwHQYDVR0RBBYwFIISc3RvcmUuZXhhbXBsZS50ZXN0MA8G
A1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAODMyQ4dQIlrcFRSzuFf
8/9Gr+OouwzIFRrEf8stLK8uAiBu+A5BZ55pmbNeqIZVYmx2BjOgOh1+DjM9MeDG
stsetw==
-----END CERTIFICATE-----`,
};
