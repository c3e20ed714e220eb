module example.com/iam-tests

go 1.19
