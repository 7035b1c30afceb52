// Package secrets links a function with the services that keep secrets.
package secrets

import "windlass/functions/internal/secret/store"

// AWS reads from Secrets Manager and Parameter Store, when it is asked.
var AWS = store.AWS
